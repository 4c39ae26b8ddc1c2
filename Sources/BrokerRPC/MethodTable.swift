import Broker
import BrokerAPI
import FlowModel
import OAuth

/// The socket's methods, each with who may call it.
enum MethodTable {
    /// The list: a method is reachable if and only if it stands here.
    static let entries: [Entry] = [
        Entry(RPCDiscover.self, .anyone),
        Entry(BrokerHello.self, .anyone),
        Entry(BrokerStatus.self, .anyone),
        Entry(PolicyList.self, .anyone),
        Entry(PolicyGet.self, .anyone),
        Entry(AccountList.self, .anyone),
        Entry(AccountGet.self, .anyone),
        Entry(AcquireRequest.self, .anyone),
        Entry(TokenList.self, .anyone),
        Entry(FlowStart.self, .anyone),
        Entry(FlowGet.self, .anyone),
        Entry(FlowWait.self, .anyone),
        Entry(FlowList.self, .anyone),
        Entry(FlowSubmit.self, .anyone),
        Entry(FlowAct.self, .anyone),
        Entry(FlowCancel.self, .anyone),
        Entry(SessionSignOut.self, .anyone),
        Entry(AuditQuery.self, .anyone),
        Entry(ClientAdd.self, .operators),
        Entry(ClientList.self, .operators),
        Entry(ClientRemove.self, .operators),
        Entry(UserList.self, .operators),
        Entry(UserShow.self, .operators),
        Entry(UserInvite.self, .operators),
        Entry(UserDisable.self, .operators),
        Entry(UserUnlock.self, .operators),
        Entry(UserDelete.self, .operators),
        Entry(GroupList.self, .operators),
        Entry(GroupAdd.self, .operators),
        Entry(GroupRemove.self, .operators),
        Entry(KeysList.self, .operators),
        Entry(KeysRotate.self, .operators),
        Entry(KeysRevoke.self, .operators),
        Entry(AuditAll.self, .operators),
        Entry(StoreBackup.self, .operators),
    ]

    /// One line of the list.
    struct Entry: Sendable {
        /// The method as `rpc.discover` shows it.
        let description: JSONValue
        /// The method of a broker.
        let method: @Sendable (Broker) -> Method

        init<Handled: HandledMethod>(_ type: Handled.Type, _ permission: Method.Permission) {
            var members = Handled.description.object ?? [:]
            members["x-permission"] = .string(permission.rawValue)
            description = .object(members)
            method = { .method(type, permission, of: $0) }
        }
    }
}
