import Authority
import AuthorityStore
public import FlowModel
import Flows
import OAuth
import Policies
import StoreRefusals

extension AccountPages {
    /// Returns the page for changing one part of the account, or starts a sign-in if the user must sign in first.
    ///
    /// `visit` is the ticket for temporary access without a session, or `nil` if the request contains no such ticket.
    ///
    /// - Throws: `Refusal`, which is `notPermitted` if the user cannot change that part of the account.
    public func question(_ edit: AccountEdit, visit: String?, _ browser: Browser) async throws -> AccountOutcome {
        guard let visitor = try await visitor(visit, browser) else { return try await signIn(nil, browser) }
        guard visitor.isRecent else { return try await signIn(visitor.user, browser) }
        let person = try await BrowserFlows.rows.storing { try await browsers.store.users.get(visitor.user) }
        guard let person, let policy = policy(of: edit), let step = step(edit, of: person),
            edits(of: person).contains(edit)
        else { throw Self.nothingToChange }
        return .edit(
            EditView(
                step: step,
                policy: policy,
                username: person.username,
                csrf: browsers.tickets.token(of: "account", visitor.owner)
            )
        )
    }

    /// Returns the form for a change, or `nil` if no policy offers the change.
    public func step(_ edit: AccountEdit) -> Step? { step(edit, of: nil) }

    private func step(_ edit: AccountEdit, of person: UserRecord?) -> Step? {
        guard let policy = policy(of: edit) else { return nil }
        return switch edit {
        case .password: browsers.flows.accounts.passwordChange(policy)
        case .profile: browsers.flows.accounts.profileChange(policy, of: person)
        }
    }

    func edit(
        _ edit: AccountEdit,
        _ answers: [String: JSONValue],
        of user: UserID,
        _ caller: Caller
    ) async throws {
        guard let policy = policy(of: edit) else { throw Self.nothingToChange }
        switch edit {
        case .password: try await browsers.flows.accounts.changePassword(answers, of: user, policy: policy, caller)
        case .profile: try await browsers.flows.accounts.changeProfile(answers, of: user, policy: policy, caller)
        }
    }

    func edits(of person: UserRecord) -> Set<AccountEdit> {
        Set(
            AccountEdit.allCases.filter { edit in
                switch edit {
                case .password: person.passwordHash != nil && step(edit) != nil
                case .profile: step(edit) != nil
                }
            }
        )
    }

    private func policy(of edit: AccountEdit) -> Policy? {
        switch edit {
        case .password: browsers.authority.policy(browsers.authority.settings().defaultPolicy)
        case .profile: browsers.authority.policies.first { $0.kind == .profileEdit }
        }
    }

    private static let nothingToChange = Refusal(.notPermitted, Text("refusal.nothingToChange"))
}
