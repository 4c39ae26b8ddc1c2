// tokenbrokerd
