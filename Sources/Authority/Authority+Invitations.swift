import AuthorityStore
public import FlowModel
import Moments
import OAuth
import Policies
import Storage

extension Authority {
    /// How long an invitation is good where nothing else is said.
    public static let invitationLife = Duration.seconds(14 * 86_400)

    /// Invites whoever has an address to sign up with it, by mail.
    ///
    /// - Parameters:
    ///   - address: The address.
    ///   - life: How long the invitation is good.
    ///   - caller: Who invites.
    /// - Returns: The invitation.
    /// - Throws: `invalid_request` if that is no address or somebody has it; `limit_exceeded`.
    public func invite(
        _ address: String,
        for life: Duration = invitationLife,
        _ caller: Caller
    ) async throws -> Invitation {
        guard AttributeRule.isAddress(address) else { throw OAuthError.invalidRequest("this is no e-mail address") }
        let ends = Deadline(life, after: clock.now)
        do {
            try await store.invitations.invite(
                address,
                until: ends,
                mail: mail(to: address, until: ends),
                events: [event("user.invited", caller, detail: ["until": "\(ends.wall)"])]
            )
        } catch  where error.code == .nameTaken {
            throw OAuthError.invalidRequest("somebody signs in with this address already")
        } catch  where error.code == .limitExceeded {
            throw Refusal(.limitExceeded, error.message).with(.limit, "invitations")
        } catch {
            throw Refusal(error)
        }
        return Invitation(email: address, expiresAt: ends.wall)
    }

    /// Takes an invitation back.
    ///
    /// - Throws: `account_not_found` if nobody with this address is invited.
    public func withdrawInvitation(_ address: String, _ caller: Caller) async throws {
        do {
            try await store.invitations.withdraw(address, events: [event("user.uninvited", caller)])
        } catch  where error.code == .notFound {
            throw Refusal(.accountNotFound, "there is no such user, and nobody of this address is invited")
        } catch {
            throw Refusal(error)
        }
    }

    private func mail(to address: String, until ends: Deadline) -> OutboxMail {
        let days = max(1, (ends.wall - clock.now.wall) / 86_400_000)
        return OutboxMail(
            to: address,
            subject: "You are invited",
            body: Secret(
                """
                You are invited to make an account at \(settings().base).

                Sign up with this address, for example by `tokenbroker sign-up`. The invitation is good for \(days) days.
                If you did not expect it, do nothing.

                """
            )
        )
    }
}
