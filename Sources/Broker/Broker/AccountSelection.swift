import Authority
import FlowModel
import Foundation
import OAuth
import OpenIDClient
import StoreRefusals
import TokenCache

/// The choice of the account of the uid that a request is for (contract §4).
struct AccountSelection {
    let accounts: LocalAccounts
    let request: AcquireRequest
    let caller: Caller
    /// The authority whose accounts are meant; nil if the account decides.
    let place: Place?

    /// The place that an account is at.
    enum Place: Sendable {
        /// Our own authority.
        case here
        /// An outside authority.
        case outside(OutsideAuthority)

        /// True for an account there, of the issuer that the authority has now.
        func has(_ account: AccountRow) -> Bool {
            switch self {
            case .here: account.authority == Broker.localAuthority
            case .outside(let authority):
                account.authority == authority.name && account.isService == authority.isService
                    && OutsidePerson(account.subject)?.issuer == authority.registration.issuer
            }
        }
    }

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

    /// False if only accounts of an outside authority are meant.
    private var isAboutUs: Bool {
        switch place {
        case .here, nil: true
        case .outside: false
        }
    }

    /// The accounts that may be meant: who names neither account nor policy means ours, unless the default is another.
    private func candidates(_ accounts: [AccountRow]) -> [AccountRow] {
        if let place { return accounts.filter(place.has) }
        guard request.account == nil else { return accounts }
        // A service's tokens are named by its policy.
        let accounts = accounts.filter { !$0.isService }
        guard request.user == nil else { return accounts }
        if isForOurAPI { return accounts.filter(Place.here.has) }
        let ours = accounts.filter { Place.here.has($0) || $0.isDefault }
        return ours.isEmpty ? accounts : ours
    }

    /// True if the request names one of our APIs, by a scope or by itself: no other authority's token opens it.
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
            guard try await user.choice([account], self.accounts.authority).account != nil else {
                throw Refusal(.wrongUser, Text("refusal.accountOfOtherUser"))
            }
        }
        return Choice(account: account, required: .user(UserID(oid: account.subject)))
    }

    /// The refusal if there are several accounts and none is named.
    fileprivate static func ambiguous(_ accounts: [AccountRow]) -> Refusal {
        var refusal = Refusal(.accountAmbiguous, Text("refusal.severalAccounts", ["count": accounts.count]))
        refusal.candidates = accounts.prefix(maxCandidates).map { .init(account: $0.account, username: $0.username) }
        return refusal
    }

    /// The greatest number of accounts that an answer names.
    private static let maxCandidates = 64
}

extension AcquireRequest.UserHint {
    /// The account of this user, or the person that a flow must identify.
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

    /// Finds an account by a sign-in name: one of ours by any of the person's, which are theirs alone; another authority's by
    /// the one that it gave.
    ///
    /// The name that is shown does not count: of a person who signs in with a provider it is what the provider said, and
    /// others may be called so, too.
    ///
    /// - Throws: `account_ambiguous` if other authorities gave the name to several.
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
        name.precomposedStringWithCanonicalMapping.lowercased()
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
