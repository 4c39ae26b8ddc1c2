import Tables

extension SyncContext {
    /// Sends the operations that wait, in the order in which they were made (`pushWithCompletion`).
    ///
    /// An operation that is refused or in conflict stays, is recorded, and stops no other; an API that cannot be reached
    /// or does not take the token ends the push, as does a store that cannot be written.
    ///
    /// - Parameter tables: Names of tables, whose operations alone are sent; nil for all.
    /// - Returns: Number of operations that the server has done.
    /// - Throws: ``SyncError`` with ``SyncError/Code/pushCompleteWithErrors`` if operations remain that were refused, or
    ///   with the reason for which the push ended early.
    @discardableResult
    public func push(tables: [String]? = nil) async throws -> Int {
        let client = try api()
        let names = try tables.map { names throws(SyncError) in
            var declared: Set<String> = []
            for name in names { declared.insert(try declaration(name).name) }
            return declared
        }
        return try await exclusively {
            try await PushRun(context: self, client: client, tables: names).run()
        }
    }
}
