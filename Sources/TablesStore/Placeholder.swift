// TablesStore
