import Broker
import BrokerAPI
import FlowModel
import OAuth

/// The socket's methods, each with who may call it, and whether also while the caller's cache is locked.
enum MethodTable {
    /// The list: a method is reachable if and only if it stands here.
    static let entries: [Entry] = [
        Entry(RPCDiscover.self, .anyone, .evenLocked),
        Entry(BrokerHello.self, .anyone, .evenLocked),
        Entry(BrokerStatus.self, .anyone, .evenLocked),
        Entry(BrokerLock.self, .anyone),
        Entry(BrokerUnlock.self, .anyone, .evenLocked),
        Entry(PolicyList.self, .anyone, .evenLocked),
        Entry(PolicyGet.self, .anyone, .evenLocked),
        Entry(AccountList.self, .anyone),
        Entry(AccountGet.self, .anyone),
        Entry(AccountUse.self, .anyone),
        Entry(AcquireRequest.self, .anyone),
        Entry(TokenList.self, .anyone),
        Entry(StartFlowRequest.self, .anyone),
        Entry(FlowGet.self, .anyone),
        Entry(FlowWait.self, .anyone),
        Entry(FlowList.self, .anyone),
        Entry(FlowSubmission.self, .anyone),
        Entry(FlowAction.self, .anyone),
        Entry(FlowCancel.self, .anyone),
        // Everybody at once, which needs no secret; the cache refuses single accounts.
        Entry(SignOutRequest.self, .anyone, .evenLocked),
        Entry(AuditQuery.self, .anyone, .evenLocked),
        Entry(NewClient.self, .operators, .evenLocked),
        Entry(ClientList.self, .operators, .evenLocked),
        Entry(ClientRemove.self, .operators, .evenLocked),
        Entry(UserList.self, .operators, .evenLocked),
        Entry(UserShow.self, .operators, .evenLocked),
        Entry(UserInvite.self, .operators, .evenLocked),
        Entry(UserDisable.self, .operators, .evenLocked),
        Entry(UserUnlock.self, .operators, .evenLocked),
        Entry(UserDelete.self, .operators, .evenLocked),
        Entry(GroupList.self, .operators, .evenLocked),
        Entry(GroupAdd.self, .operators, .evenLocked),
        Entry(GroupRemove.self, .operators, .evenLocked),
        Entry(KeysList.self, .operators, .evenLocked),
        Entry(KeysRotate.self, .operators, .evenLocked),
        Entry(KeysRevoke.self, .operators, .evenLocked),
        Entry(AuditAll.self, .operators, .evenLocked),
        Entry(StoreBackup.self, .operators, .evenLocked),
    ]

    /// One line of the list.
    struct Entry: Sendable {
        /// The method as `rpc.discover` shows it.
        let description: JSONValue
        /// The method of a broker.
        let method: @Sendable (Broker) -> Method

        init<Handled: HandledMethod>(
            _ type: Handled.Type,
            _ permission: Method.Permission,
            _ need: Method.Need = .openCache
        ) {
            var members = Handled.description.object ?? [:]
            members["x-permission"] = .string(permission.rawValue)
            members["x-whileLocked"] = .bool(need == .evenLocked)
            description = .object(members)
            method = { .method(type, permission, need, of: $0) }
        }
    }
}
