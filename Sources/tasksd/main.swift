print("tasksd")
