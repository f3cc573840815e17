REGULAR = _semaphore()
