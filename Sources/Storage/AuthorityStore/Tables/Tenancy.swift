import GRDB

/// The SQL condition for the rows of one tenant, which is a separate issuer but can share a database.
///
/// Presenting a code or token to another tenant neither uses nor revokes it.
enum Tenancy {
    static let condition = "tenant IS :tenant"
}

extension Core {
    var tenancy: StatementArguments { ["tenant": tenant] }
}
