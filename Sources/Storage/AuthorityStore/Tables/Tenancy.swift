import GRDB

/// The binding of a row to the tenant that it was made for.
///
/// Each tenant is an issuer of its own, and two of them may have one database. What one has given does not exist for
/// the other: nobody uses it up there, and nothing dies of the attempt.
enum Tenancy {
    /// The condition of a row that may be taken.
    static let condition = "tenant IS :tenant"
}

extension Core {
    /// The tenant of this store, for ``Tenancy/condition`` and for a new row.
    var tenancy: StatementArguments { ["tenant": tenant] }
}
