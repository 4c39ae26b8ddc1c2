// TablesServer
