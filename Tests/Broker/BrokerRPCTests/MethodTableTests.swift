import BrokerAPI
import OAuth
import Testing

@testable import BrokerRPC

@Suite(.timeLimit(.minutes(2)))
struct MethodTableTests {
    @Test("the table has the methods of the contract, each once, with its permitted callers") func table() {
        let anyone = [
            "rpc.discover", "broker.hello", "broker.status", "broker.lock", "broker.unlock",
            "policy.list", "policy.get", "account.list", "account.get", "account.use",
            "token.acquire", "token.list", "token.subscribe", "flow.start", "flow.get", "flow.wait", "flow.list",
            "flow.submit", "flow.action", "flow.cancel", "check.login", "check.logout", "check.status",
            "credential.list", "credential.enrol", "credential.remove", "session.signOut", "audit.query", "store.key",
            "account.import", "authority.add", "authority.list", "authority.remove",
        ]
        let operators = [
            "client.add", "client.list", "client.remove", "user.list", "user.show", "user.invite",
            "user.disable", "user.unlock", "user.expirePassword", "user.delete", "group.list", "group.add",
            "group.remove", "keys.list",
            "keys.rotate", "keys.revoke", "audit.all", "store.backup",
        ]
        #expect(names("anyone") == anyone)
        #expect(names("operators") == operators)
        #expect(MethodTable.methods.count == anyone.count + operators.count)
    }

    @Test("while the cache is locked only these methods work") func locked() {
        let open = MethodTable.methods.map(\.description.json).filter { $0["x-whileLocked"] == true }
            .compactMap { $0["name"]?.string }
        let anyone = [
            "rpc.discover", "broker.hello", "broker.status", "broker.unlock", "policy.list", "policy.get",
            "session.signOut", "audit.query",
        ]
        #expect(open == anyone + names("operators"))
    }

    @Test("a description names the callers that the method's handler serves") func permissions() {
        #expect(MethodTable.methods.filter { $0.permission != $0.description.permission }.map(\.description.name) == [])
    }

    private func names(_ permission: String) -> [String] {
        MethodTable.methods.map(\.description.json)
            .filter { $0["x-permission"]?.string == permission }
            .compactMap { $0["name"]?.string }
    }
}
