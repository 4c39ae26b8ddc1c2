import Administration
import Broker
import BrokerAPI
import FlowModel
import OAuth

/// The socket's methods, in the order of `rpc.discover`.
enum MethodTable {
    /// All methods: a method can be called if and only if it is listed here.
    static let entries: [Entry] = [
        .anyone(RPCDiscover.self),
        .anyone(BrokerHello.self),
        .anyone(BrokerStatus.self),
        .anyone(BrokerLock.self),
        .anyone(BrokerUnlock.self),
        .anyone(PolicyList.self),
        .anyone(PolicyGet.self),
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
        .anyone(SignOutRequest.self),
        .anyone(AuditQuery.self),
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
        /// The description of the method.
        let description: MethodDescription
        /// The callers that its handler serves, whatever the description says; a test compares the two.
        let permission: MethodDescription.Permission
        /// Makes the method for a broker and an administration.
        let method: @Sendable (Broker, Administration) -> Method

        /// A method that anyone may call.
        static func anyone<Handled: HandledMethod>(_ type: Handled.Type) -> Entry {
            Entry(description: Handled.description, permission: .anyone) { broker, _ in .anyone(type, of: broker) }
        }

        /// A method of operators.
        static func operators<Handled: OperatorMethod>(_ type: Handled.Type) -> Entry {
            Entry(description: Handled.description, permission: .operators) { .operators(type, of: $1) }
        }
    }
}
