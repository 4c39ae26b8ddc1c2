import Authority
import AuthorityStore
public import FlowModel
import Foundation
import Moments
import OAuth
import Policies
import Storage
import StoreRefusals

extension Operator {
    /// The life of an invitation if none is given.
    public static let invitationLife = Duration.seconds(14 * 86_400)

    /// Invites the holder of an address to sign up with it, by mail.
    ///
    /// - Parameters:
    ///   - address: The address.
    ///   - days: The life of the invitation in days; 14 if nil.
    /// - Returns: The invitation.
    /// - Throws: `InvalidParameters` if it is not an address, a user has it, or nobody can sign up; `limit_exceeded`.
    public func invite(_ address: String, days: Int64?) async throws -> Invitation {
        // The invitation is found by this form, so it is mailed to the same box.
        let address = address.precomposedStringWithCanonicalMapping
        guard !administration.settings().isSignUpClosed else {
            throw InvalidParameters(Text("refusal.nobodyCanSignUp"))
        }
        guard AttributeRule.isAddress(address) else { throw InvalidParameters(Text("refusal.noAddress")) }
        let life = days.map { Duration.seconds($0 * 86_400) } ?? Self.invitationLife
        let ends = Deadline(life, after: administration.clock.now)
        do {
            try await store.invitations.invite(
                address,
                until: ends,
                mail: mail(to: address, until: ends),
                events: [AuditEvent(.userInvited, by: caller, detail: ["until": "\(ends.wall)"])]
            )
        } catch  where error.code == .nameTaken {
            throw InvalidParameters(Text("refusal.addressTaken"))
        } catch  where error.code == .limitExceeded {
            let most = AuthorityStore.Invitations.greatestNumber
            throw Refusal(.limitExceeded, Text("refusal.invitationsFull", ["count": most])).with(.limit, "invitations")
        } catch {
            throw Administration.rows.refusal(error)
        }
        administration.consequences.mailQueued()
        return Invitation(email: address, expiresAt: ends.wall)
    }

    /// Withdraws an invitation.
    ///
    /// - Throws: `account_not_found` if the address has no invitation.
    func withdrawInvitation(_ address: String) async throws {
        do {
            try await store.invitations.withdraw(address, events: [AuditEvent(.userUninvited, by: caller)])
        } catch  where error.code == .notFound {
            throw Refusal(.accountNotFound, Text("refusal.noUserNorInvitation"))
        } catch {
            throw Administration.rows.refusal(error)
        }
    }

    private func mail(to address: String, until ends: Deadline) -> OutboxMail {
        let days = max(1, (ends.wall - administration.clock.now.wall) / 86_400_000)
        return OutboxMail(
            to: address,
            subject: "You are invited",
            body: Secret(
                """
                You are invited to make an account at \(authority.settings().base).

                Sign up with this address, for example by `tokenbroker sign-up`. The invitation is good for \(days) days.
                If you did not expect it, do nothing.

                """
            )
        )
    }
}
