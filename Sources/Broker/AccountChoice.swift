import Authority
import FlowModel
import Foundation
import OAuth
import StoreRefusals
import TokenCache

/// The choice of the account of the uid that a request is for (contract §4).
struct AccountChoice {
    let broker: Broker
    let request: AcquireRequest
    let caller: Caller

    /// The chosen account, and the person that a flow needs.
    struct Choice {
        /// The account, if the uid has it.
        var account: AccountRow?
        /// The person who must answer a flow, or is expected to.
        var required: RequiredUser?
    }

    /// Returns the named account, or the only one, or the uid's default.
    ///
    /// - Returns: The choice; without an account if another person may sign in.
    /// - Throws: `account_not_found`, `account_ambiguous`, `wrong_user`.
    func choose() async throws -> Choice {
        var accounts = try await Broker.rows.storing { try broker.cache.accounts.list(uid: caller.owner.cacheUID) }
        var choice = try await choice(accounts)
        if choice.account == nil, request.prompt.mayBeSilent,
            let adopted = try await broker.adopt(caller, known: accounts)
        {
            accounts = adopted
            choice = try await self.choice(accounts)
        }
        return choice
    }

    private func choice(_ accounts: [AccountRow]) async throws -> Choice {
        if let id = request.account { return try await named(id, accounts) }
        if let user = request.user { return try await user.choice(accounts, broker) }
        let usual = accounts.count == 1 ? accounts.first : accounts.first(where: \.isDefault)
        guard request.prompt.mayBeSilent else {
            // Another person may sign in.
            return Choice(account: nil, required: request.prompt.fillsName ? usual.map { .hint($0.username) } : nil)
        }
        guard usual != nil || accounts.isEmpty else { throw Self.ambiguous(accounts) }
        return Choice(account: usual, required: usual.map { .hint($0.username) })
    }

    private func named(_ id: String, _ accounts: [AccountRow]) async throws -> Choice {
        guard let account = accounts.first(where: { $0.account == id }) else {
            throw Broker.noSuchAccount
        }
        if let user = request.user, user.kind != .optionalDisplayableID {
            guard try await user.choice([account], broker).account != nil else {
                throw Refusal(.wrongUser, "the account is not that user's")
            }
        }
        return Choice(account: account, required: .user(UserID(oid: account.subject)))
    }

    /// The refusal if there are several accounts and none is named.
    private static func ambiguous(_ accounts: [AccountRow]) -> Refusal {
        var refusal = Refusal(.accountAmbiguous, "name one of the \(accounts.count) accounts")
        refusal.candidates = accounts.prefix(maxCandidates).map { .init(account: $0.account, username: $0.username) }
        return refusal
    }

    /// The greatest number of accounts that an answer names.
    private static let maxCandidates = 64
}

extension AcquireRequest.UserHint {
    /// The account of this user, or the person that a flow must identify.
    fileprivate func choice(_ accounts: [AccountRow], _ broker: Broker) async throws -> AccountChoice.Choice {
        switch kind {
        case .uniqueID:
            let user = UserID(oid: id.lowercased())
            return .init(account: accounts.first { $0.subject == user.oid }, required: .user(user))
        case .requiredDisplayableID:
            guard let account = try await account(accounts, broker) else {
                return .init(account: nil, required: .signInName(id))
            }
            return .init(account: account, required: .user(UserID(oid: account.subject)))
        case .optionalDisplayableID:
            let account = try await account(accounts, broker)
            return .init(account: account ?? (accounts.count == 1 ? accounts.first : nil), required: .hint(id))
        }
    }

    /// Finds an account by the name shown, else by any of the person's sign-in names.
    private func account(_ accounts: [AccountRow], _ broker: Broker) async throws -> AccountRow? {
        let name = Self.folded(id)
        if let account = accounts.first(where: { Self.folded($0.username) == name }) { return account }
        guard !accounts.isEmpty, let user = try await broker.authority.user(signInName: id) else { return nil }
        return accounts.first { $0.subject == user.oid }
    }

    private static func folded(_ name: String) -> String {
        name.precomposedStringWithCompatibilityMapping.lowercased()
    }
}

extension AcquireRequest.Prompt {
    /// True if a token may be given without asking a person.
    var mayBeSilent: Bool { self == .auto || self == .none }

    /// True if the likely name is filled in.
    var fillsName: Bool {
        switch self {
        case .login, .auto, .none: true
        case .create, .select: false
        }
    }
}

extension Prompt {
    /// The authority's value of the same meaning.
    init(_ prompt: AcquireRequest.Prompt) {
        self =
            switch prompt {
            case .auto: .auto
            case .none: .none
            case .login: .login
            case .create: .create
            case .select: .select
            }
    }
}
