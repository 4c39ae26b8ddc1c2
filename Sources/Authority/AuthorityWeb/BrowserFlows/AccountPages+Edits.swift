import Authority
import AuthorityStore
public import FlowModel
import Flows
import OAuth
import Policies
import StoreRefusals

extension AccountPages {
    /// The page on which a person changes a thing of their account, or the beginning of the sign-in before it.
    ///
    /// - Parameters:
    ///   - edit: The thing.
    ///   - visit: The ticket of the visit, if there is one.
    ///   - browser: The browser.
    /// - Returns: The page, or the place of the sign-in.
    /// - Throws: `Refusal`; `notPermitted` where there is nothing of the kind to change.
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

    /// The question by which a thing is changed; nil where no policy knows it.
    public func step(_ edit: AccountEdit) -> Step? { step(edit, of: nil) }

    /// The question, filled in for a person.
    private func step(_ edit: AccountEdit, of person: UserRecord?) -> Step? {
        guard let policy = policy(of: edit) else { return nil }
        return switch edit {
        case .password: browsers.flows.accounts.passwordChange(policy)
        case .profile: browsers.flows.accounts.profileChange(policy, of: person)
        }
    }

    /// Changes a thing of a person by the answers to its question.
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

    /// The things that a person can change.
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

    /// The policy whose rules the answers follow.
    private func policy(of edit: AccountEdit) -> Policy? {
        switch edit {
        case .password: browsers.authority.policy(browsers.authority.settings().defaultPolicy)
        case .profile: browsers.authority.policies.first { $0.kind == .profileEdit }
        }
    }

    private static let nothingToChange = Refusal(.notPermitted, Text("refusal.nothingToChange"))
}
