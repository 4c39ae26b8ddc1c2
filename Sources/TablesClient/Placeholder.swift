// TablesClient
