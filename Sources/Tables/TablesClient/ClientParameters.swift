import Tables

extension TablesClient {
    /// The query of a request that is no list: the parameters of one's own.
    ///
    /// - Throws: ``TablesError/Code/invalidParameter`` for a name that the protocol keeps for itself.
    static func query(_ parameters: KeyValuePairs<String, String>) throws(TablesError) -> String? {
        var query = Query()
        for (name, value) in parameters {
            do throws(QueryProblem) {
                query = try query.parameter(name, value)
            } catch {
                throw TablesError(.invalidParameter, error.message)
            }
        }
        return query.urlQuery(.v2)
    }
}
