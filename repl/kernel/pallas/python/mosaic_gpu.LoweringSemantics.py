Lane = "Lane"
Warpgroup = "Warpgroup"
