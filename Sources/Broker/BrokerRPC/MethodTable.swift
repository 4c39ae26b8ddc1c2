import Administration
import Broker
import BrokerAPI
import FlowModel
import OAuth

/// The socket's methods, each with its permission and its need of an open cache.
enum MethodTable {
    /// All methods: a method can be called if and only if it is listed here.
    static let entries: [Entry] = [
        .anyone(RPCDiscover.self, .evenLocked),
        .anyone(BrokerHello.self, .evenLocked),
        .anyone(BrokerStatus.self, .evenLocked),
        .anyone(BrokerLock.self),
        .anyone(BrokerUnlock.self, .evenLocked),
        .anyone(PolicyList.self, .evenLocked),
        .anyone(PolicyGet.self, .evenLocked),
        .anyone(AccountList.self),
        .anyone(AccountGet.self),
        .anyone(AccountUse.self),
        .anyone(AcquireRequest.self),
        .anyone(TokenList.self),
        .anyone(TokenSubscribe.self),
        .anyone(StartFlowRequest.self),
        .anyone(FlowGet.self),
        .anyone(FlowWait.self),
        .anyone(FlowList.self),
        .anyone(FlowSubmission.self),
        .anyone(FlowAction.self),
        .anyone(FlowCancel.self),
        .anyone(CheckLogin.self),
        .anyone(CheckLogout.self),
        .anyone(CheckStatusQuery.self),
        .anyone(CredentialList.self),
        .anyone(CredentialEnrol.self),
        .anyone(CredentialRemove.self),
        // Signing out everybody needs no secret; the cache refuses single accounts.
        .anyone(SignOutRequest.self, .evenLocked),
        .anyone(AuditQuery.self, .evenLocked),
        .anyone(StoreKey.self),
        .anyone(ImportedAccount.self),
        .anyone(NewAuthority.self),
        .anyone(AuthorityList.self),
        .anyone(AuthorityRemove.self),
        .operators(NewClient.self),
        .operators(ClientList.self),
        .operators(ClientRemove.self),
        .operators(UserList.self),
        .operators(UserShow.self),
        .operators(UserInvite.self),
        .operators(UserDisable.self),
        .operators(UserUnlock.self),
        .operators(UserExpirePassword.self),
        .operators(UserDelete.self),
        .operators(GroupList.self),
        .operators(GroupAdd.self),
        .operators(GroupRemove.self),
        .operators(KeysList.self),
        .operators(KeysRotate.self),
        .operators(KeysRevoke.self),
        .operators(AuditAll.self),
        .operators(StoreBackup.self),
    ]

    /// One entry of the table.
    struct Entry: Sendable {
        /// The method as `rpc.discover` shows it.
        let description: JSONValue
        /// Makes the method for a broker and an administration.
        let method: @Sendable (Broker, Administration) -> Method

        /// A method that anyone may call.
        static func anyone<Handled: HandledMethod>(
            _ type: Handled.Type,
            _ need: Method.Need = .openCache
        ) -> Entry {
            Entry(description(of: type, .anyone, need)) { broker, _ in .anyone(type, need, of: broker) }
        }

        /// A method of operators, which does not depend on the caller's own cache.
        static func operators<Handled: OperatorMethod>(_ type: Handled.Type) -> Entry {
            Entry(description(of: type, .operators, .evenLocked)) { .operators(type, of: $1) }
        }

        private init(_ description: JSONValue, _ method: @escaping @Sendable (Broker, Administration) -> Method) {
            self.description = description
            self.method = method
        }

        private static func description<Handled: BrokerMethod>(
            of type: Handled.Type,
            _ permission: Method.Permission,
            _ need: Method.Need
        ) -> JSONValue {
            var members = Handled.description.object ?? [:]
            members["x-permission"] = .string(permission.rawValue)
            members["x-whileLocked"] = .bool(need == .evenLocked)
            return .object(members)
        }
    }
}
