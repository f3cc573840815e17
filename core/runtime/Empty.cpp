// Removed by the first real file of this library.
