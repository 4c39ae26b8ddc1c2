import Authority
public import FlowModel
import Flows
import Logging
import Moments
import OAuth
import TokenCache

/// What operators do with people who are not there yet, and with groups.
extension Broker {
    /// Invites whoever has an address to sign up with it.
    ///
    /// - Returns: When the invitation ends, in milliseconds since 1970 UTC.
    public func invite(
        _ address: String,
        days: Int64?,
        caller: Caller
    ) async throws -> Int64 {
        try await permit("user.invite", caller)
        guard !settings().isSignUpClosed else {
            throw OAuthError.invalidRequest(
                "nobody can sign up, invited or not: the configuration says `signUp: closed`"
            )
        }
        let life = days.map { Duration.seconds($0 * 86_400) } ?? Authority.invitationLife
        let ends = try await authority.invite(address, for: life, caller)
        flows.lookForMail()
        return ends
    }

    /// All groups, or one with its members after `after`.
    public func groups(
        _ name: String?,
        after: String?,
        caller: Caller
    ) async throws -> [GroupAnswer] {
        try await permit("group.list", caller)
        let groups: [Authority.Group]
        if let name {
            groups = try await authority.group(name, after: after)
        } else {
            groups = try await authority.groups()
        }
        return groups.map { GroupAnswer($0) }
    }

    /// Puts a person into a group; the next token says so.
    public func addToGroup(
        _ name: String,
        user: String,
        caller: Caller
    ) async throws -> GroupAnswer {
        try await permit("group.add", caller)
        let (user, group) = try await authority.addToGroup(name, user: user, caller)
        await renewTokens(of: user)
        return GroupAnswer(group)
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

/// A group as operators see it.
public struct GroupAnswer: Hashable, Sendable {
    /// Its name.
    public let name: String
    /// How many people are in it.
    public let count: Int64
    /// The first of them by object id, where one group was asked for.
    public let members: [String]?

    init(_ group: Authority.Group) {
        name = group.name
        count = group.count
        members = group.members
    }
}
