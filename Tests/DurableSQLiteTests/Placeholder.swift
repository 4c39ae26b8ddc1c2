// DurableSQLite
