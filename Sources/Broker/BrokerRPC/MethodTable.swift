import Administration
import Broker
import BrokerAPI
import FlowModel
import OAuth
import Systemd

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

/// The broker behind the socket: its methods, and the functions that connections call themselves.
struct Backend: Sendable {
    /// The methods by their names.
    let methods: [String: Method]
    /// Returns the broker's caller of a peer, for one call.
    let caller: @Sendable (PeerCredentials, CorrelationID) -> Caller
    /// True if the cache of this uid is locked.
    var isLocked: @Sendable (UInt32) -> Bool = { _ in false }
    /// Checks that a caller may use a client, the command line's client if `nil`; returns whether every caller may.
    var checkClient: @Sendable (String?, Caller) async throws -> Bool = { _, _ in true }
    /// The number of changes that may have changed an answer to this uid.
    let generation: @Sendable (UInt32) -> Int64
    /// Records that a remembered answer was given for an account of this uid.
    let noteUse: @Sendable (UInt32, String) -> Void
    /// Records a state-changing call that came without an id and was not executed.
    let noteUnanswerable: @Sendable (String, Caller) async -> Void

    /// The methods of the table, on a broker and an administration.
    static func services(_ broker: Broker, _ administration: Administration) -> Backend {
        let methods = MethodTable.entries.map { $0.method(broker, administration) }
        return Backend(
            methods: Dictionary(methods.map { ($0.description.name, $0) }) { first, _ in first },
            caller: {
                administration.caller(uid: $0.uid, gid: $0.gid, groups: $0.groups, pid: $0.pid, correlationID: $1)
            },
            isLocked: { broker.lock.isLocked(uid: $0) },
            checkClient: { try await broker.checkUse(of: $0, by: $1) },
            generation: { broker.tokens.generation(uid: $0) },
            noteUse: { broker.tokens.noteUse(uid: $0, account: $1) },
            noteUnanswerable: { await broker.noteUnanswerable(method: $0, caller: $1) }
        )
    }
}
