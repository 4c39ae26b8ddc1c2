import GRDB

/// The SQL condition that limits a query to the rows of one tenant.
///
/// Each tenant is a separate issuer, and several tenants can share a database. One tenant's codes and tokens do not
/// exist for the others, so presenting them to another tenant neither uses nor revokes them.
enum Tenancy {
    static let condition = "tenant IS :tenant"
}

extension Core {
    var tenancy: StatementArguments { ["tenant": tenant] }
}
