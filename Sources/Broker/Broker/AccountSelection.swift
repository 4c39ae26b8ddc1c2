import Authority
import FlowModel
import Foundation
import OAuth
import OpenIDClient
import StoreRefusals
import TokenCache

struct AccountSelection {
    let accounts: LocalAccounts
    let request: AcquireRequest
    let caller: Caller
    /// The authority whose accounts are considered, or `nil` to consider the accounts of all authorities.
    let place: Place?

    /// The authority that an account belongs to.
    enum Place: Sendable {
        case here
        case outside(OutsideAuthority)

        func has(_ account: AccountRow) -> Bool {
            switch self {
            case .here: account.authority == Broker.localAuthority
            case .outside(let authority):
                account.authority == authority.name && account.isService == authority.isService
                    && OutsidePerson(account.subject)?.issuer == authority.registration.issuer
            }
        }
    }

    struct Choice {
        var account: AccountRow?
        /// The user that a sign-in requires or suggests, or `nil` for no particular user.
        var required: RequiredUser?
    }

    /// Returns the account in the request, or else the uid's only account, or else the uid's default account.
    func choose() async throws -> Choice {
        var known = try await accounts.every(of: caller.owner.cacheUID)
        var choice = try await choice(candidates(known))
        if choice.account == nil, request.prompt.mayBeSilent, isAboutUs,
            let adopted = try await accounts.adopt(caller, known: known)
        {
            known = adopted
            choice = try await self.choice(candidates(known))
        }
        return choice
    }

    private var isAboutUs: Bool {
        switch place {
        case .here, nil: true
        case .outside: false
        }
    }

    /// Returns the accounts that the request could mean.
    ///
    /// If the request names no account, user or policy, local accounts and the default account have precedence.
    private func candidates(_ accounts: [AccountRow]) -> [AccountRow] {
        if let place { return accounts.filter(place.has) }
        guard request.account == nil else { return accounts }
        // Skip the accounts of services, because a request for a service's token specifies a policy, not an account.
        let accounts = accounts.filter { !$0.isService }
        guard request.user == nil else { return accounts }
        if isForOurAPI { return accounts.filter(Place.here.has) }
        let ours = accounts.filter { Place.here.has($0) || $0.isDefault }
        return ours.isEmpty ? accounts : ours
    }

    private var isForOurAPI: Bool {
        accounts.settings().apis.contains { api in
            request.resource == api.api
                || request.scopes.contains { api.scopes.contains($0) || $0.hasPrefix("\(api.api)/") }
        }
    }

    private func choice(_ accounts: [AccountRow]) async throws -> Choice {
        if let id = request.account { return try await named(id, accounts) }
        if let user = request.user { return try await user.choice(accounts, self.accounts.authority) }
        let usual = accounts.count == 1 ? accounts.first : accounts.first(where: \.isDefault)
        guard request.prompt.mayBeSilent else {
            // Any user is allowed to sign in, not only the default account's user.
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
            guard try await user.choice([account], self.accounts.authority).account != nil else {
                throw Refusal(.wrongUser, Text("refusal.accountOfOtherUser"))
            }
        }
        return Choice(account: account, required: .user(UserID(oid: account.subject)))
    }

    fileprivate static func ambiguous(_ accounts: [AccountRow]) -> Refusal {
        var refusal = Refusal(.accountAmbiguous, Text("refusal.severalAccounts", ["count": accounts.count]))
        refusal.candidates = accounts.prefix(maxCandidates).map { .init(account: $0.account, username: $0.username) }
        return refusal
    }

    private static let maxCandidates = 64
}

extension AcquireRequest.UserHint {
    fileprivate func choice(_ accounts: [AccountRow], _ authority: Authority) async throws -> AccountSelection.Choice {
        switch kind {
        case .uniqueID:
            let user = UserID(oid: id.lowercased())
            let account = accounts.first { $0.subject == user.oid || OutsidePerson($0.subject)?.subject == id }
            return .init(account: account, required: .user(user))
        case .requiredDisplayableID:
            guard let account = try await account(accounts, authority) else {
                return .init(account: nil, required: .signInName(id))
            }
            return .init(account: account, required: .user(UserID(oid: account.subject)))
        case .optionalDisplayableID:
            let account = try await account(accounts, authority)
            return .init(account: account ?? (accounts.count == 1 ? accounts.first : nil), required: .hint(id))
        }
    }

    /// Returns the local account with the sign-in name `id`, or else the external account with the username `id`.
    ///
    /// - Throws: `account_ambiguous` if several external accounts have this username.
    private func account(_ accounts: [AccountRow], _ authority: Authority) async throws -> AccountRow? {
        let ours = accounts.filter(AccountSelection.Place.here.has)
        if !ours.isEmpty, let user = try await authority.user(signInName: id),
            let account = ours.first(where: { $0.subject == user.oid })
        {
            return account
        }
        let name = Self.folded(id)
        let others = accounts.filter { !AccountSelection.Place.here.has($0) && Self.folded($0.username) == name }
        guard others.count < 2 else { throw AccountSelection.ambiguous(others) }
        return others.first
    }

    private static func folded(_ name: String) -> String {
        (MailAddress.ascii(name) ?? name).precomposedStringWithCanonicalMapping.lowercased()
    }
}

extension AcquireRequest.Prompt {
    var mayBeSilent: Bool { self == .auto || self == .none }

    var fillsName: Bool {
        switch self {
        case .login, .auto, .none: true
        case .create, .select: false
        }
    }
}

extension Prompt {
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
