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
    /// The default lifetime of an invitation.
    public static let invitationLife = Duration.seconds(14 * 86_400)

    /// Mails an invitation to sign up with `address` within `days` days, or within 14 days if `days` is `nil`.
    ///
    /// - Throws: `InvalidParameters` if the address is invalid or in use or sign-up is closed, or `limit_exceeded` if
    ///   too many invitations are pending.
    public func invite(_ address: String, days: Int64?) async throws -> Invitation {
        // Invitations are looked up by the normalized address, so the mail must also go to the normalized address.
        let written = address.precomposedStringWithCanonicalMapping
        let address = MailAddress.ascii(written) ?? written
        guard !administration.settings().isSignUpClosed else {
            throw InvalidParameters(Text("refusal.nobodyCanSignUp"))
        }
        guard AttributeRule.isAddress(address) else { throw InvalidParameters(Text("refusal.noAddress")) }
        guard await administration.consequences.takesAddress(address) else {
            throw InvalidParameters(Text("refusal.addressNotTaken"))
        }
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
        return Invitation(email: MailAddress.shown(address), expiresAt: ends.wall)
    }

    /// Withdraws the invitation for an address, or throws `account_not_found` if the address has no invitation.
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
                You are invited to create an account at \(authority.settings().base).

                Sign up with this address, for example with `tokenbroker sign-up`. The invitation expires in \(days) days.
                If you did not expect it, ignore this mail.

                """
            )
        )
    }
}
