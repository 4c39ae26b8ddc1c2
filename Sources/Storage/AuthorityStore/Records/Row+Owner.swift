import DurableSQLite
import FlowModel
import GRDB
import Storage

extension Row {
    func owner() throws -> Owner { try Self.owner(try get("owner")) }

    func optionalOwner() throws -> Owner? { try optional("owner").map(Self.owner) }

    private static func owner(_ key: String) throws -> Owner {
        guard let owner = Owner(key: key) else {
            throw StoreError(.corrupt, "the owner in a row is of an unknown kind")
        }
        return owner
    }
}
