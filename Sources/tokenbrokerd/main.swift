print("tokenbrokerd")
