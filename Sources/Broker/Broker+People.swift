import Authority
public import FlowModel
import Flows
import Logging
import Moments
public import OAuth
import TokenCache

/// What operators do with people who are not there yet, and with groups.
extension Broker {
    /// Invites whoever has an address to sign up with it.
    ///
    /// - Returns: The invitation.
    public func invite(
        _ address: String,
        days: Int64?,
        caller: Caller
    ) async throws -> Invitation {
        try await permit("user.invite", caller)
        guard !settings().isSignUpClosed else {
            throw OAuthError.invalidRequest(
                "nobody can sign up, invited or not: the configuration says `signUp: closed`"
            )
        }
        let life = days.map { Duration.seconds($0 * 86_400) } ?? Authority.invitationLife
        let invitation = try await authority.invite(address, for: life, caller)
        flows.lookForMail()
        return invitation
    }

    /// All groups, or one with its members after `after`.
    public func groups(
        _ name: String?,
        after: String?,
        caller: Caller
    ) async throws -> [GroupSummary] {
        try await permit("group.list", caller)
        guard let name else { return try await authority.groups() }
        return try await authority.group(name, after: after)
    }

    /// Puts a person into a group; the next token says so.
    public func addToGroup(
        _ name: String,
        user: String,
        caller: Caller
    ) async throws -> GroupSummary {
        try await permit("group.add", caller)
        let (user, group) = try await authority.addToGroup(name, user: user, caller)
        await renewTokens(of: user)
        return group
    }

    /// Takes a person out of a group; the next token says so.
    public func removeFromGroup(
        _ name: String,
        user: String,
        caller: Caller
    ) async throws {
        try await permit("group.remove", caller)
        await renewTokens(of: try await authority.removeFromGroup(name, user: user, caller))
    }

    /// Lets nobody have a token any more that says what was.
    private func renewTokens(of user: UserID) async {
        shared.raise()
        do {
            try await cache.removeAccessTokens(authority: Self.localAuthority, subject: user.oid)
        } catch {
            logger.warning("tokens of a changed user were not removed", metadata: ["error": "\(error)"])
        }
    }
}
