import AuthorityStore
public import FlowModel
import OAuth

extension Attempts {
    /// New passwords of one uid that are hashed in ten minutes.
    ///
    /// Two a second, as many as one person's programs need that make accounts one after another. What keeps one uid from
    /// filling the queue is its share of the places.
    public static let hashesPerOrigin = 1200
    /// Mails that one uid may have sent to one address in an hour.
    public static let mailsPerAddress = 20
    /// Mails to one address in 24 hours, whoever asks.
    public static let mailsPerAddressDaily = 100

    /// Charges the hashing of a new password, which nothing gives back.
    ///
    /// - Parameter origin: Who makes the account.
    /// - Throws: `Refusal`: `limit_exceeded` with the time to wait.
    public func chargeHash(origin: Owner) async throws {
        let own = Charge(
            key: Budgets.name("hashes\u{1F}\(Budgets.place(origin))", lockKey),
            subject: nil,
            rule: .window(max: Self.hashesPerOrigin, period: .seconds(600))
        )
        guard let (index, retryAfterMs) = try await refused([Budgets.evaluation(key: lockKey), own]) else { return }
        throw Refusal(.limitExceeded, "too many passwords are being hashed").retrying(afterMs: retryAfterMs)
            .with("limit", index == 0 ? "evaluations" : "hashes")
    }

    /// Charges a mail before it is queued, against all that it concerns or nothing.
    ///
    /// One uid closes its own way to an address and nobody else's; all together have a looser bound, which does not
    /// concern a uid where the person has proved something before.
    ///
    /// - Parameters:
    ///   - address: Where it goes, or would go.
    ///   - subject: Whom it is for.
    ///   - origin: Who asks for it.
    /// - Throws: `Refusal`: `limit_exceeded` with the time to wait.
    public func chargeMail(to address: String, for subject: Subject, origin: Owner) async throws {
        let place = Budgets.place(origin)
        let folded = SignInName.folded(address)
        func charge(_ name: String, _ most: Int, _ period: Duration, exempt: [BudgetKey] = []) -> Charge {
            Charge(
                key: Budgets.name("mails\u{1F}\(name)", lockKey),
                subject: nil,
                rule: .window(max: most, period: period),
                exemptIfProven: exempt
            )
        }
        let proofs = ["email", "password"].map { Budgets.own($0, of: subject, at: origin, key: lockKey) }
        let blocked = try await refused([
            charge("uid\u{1F}\(place)", mails.perOrigin, .seconds(600)),
            charge("uid-day\u{1F}\(place)", mails.perOriginDaily, .seconds(24 * 3600)),
            charge("address\u{1F}\(folded)\u{1F}\(place)", Self.mailsPerAddress, .seconds(3600)),
            charge("address-day\u{1F}\(folded)", Self.mailsPerAddressDaily, .seconds(24 * 3600), exempt: proofs),
        ])
        guard let (index, retryAfterMs) = blocked else { return }
        let sentence = index < 2 ? "you have had as many mails sent" : "this address was sent as many mails"
        throw Refusal(.limitExceeded, "\(sentence) as may be for now").retrying(afterMs: retryAfterMs)
            .with("limit", index < 2 ? "mailsPerUid" : "mailsPerAddress")
    }

    /// Takes all charges or none; which one refused, and for how long.
    private func refused(_ charges: [Charge]) async throws -> (index: Int, retryAfterMs: Int64)? {
        do {
            let outcome = try await store.attempts.charge(charges)
            guard case .blocked(let index, let retryAfterMs) = outcome else { return nil }
            return (index, retryAfterMs)
        } catch {
            throw Refusal(.storageFailed, "what was asked for could not be counted").because("\(error)")
        }
    }
}
