public import AuthorityStore
public import FlowModel
import OAuth

extension Attempts {
    /// Mails that one uid may have sent to one address in an hour.
    public static let mailsPerAddress = 20
    /// Mails to one address in 24 hours, whoever asks.
    public static let mailsPerAddressDaily = 100

    /// Charges the hashing of a new password, which nothing gives back.
    ///
    /// - Parameter origin: Who makes the account.
    /// - Throws: `Refusal`: `limit_exceeded` with the time to wait.
    public func chargeHash(origin: Owner) async throws {
        let outcome = try await taken(Budgets.evaluation(at: origin, key: lockKey))
        if case .blocked(_, let retryAfterMs) = outcome { throw Self.crowded(retryAfterMs) }
    }

    /// Charges a mail before it is queued, against all that it concerns or nothing.
    ///
    /// One uid closes its own way to an address and nobody else's; all together have a looser bound, which does not
    /// concern a uid where the person has proved something before.
    ///
    /// - Parameters:
    ///   - address: Where it goes, or would go.
    ///   - subject: Whom it is for.
    ///   - credentials: The credentials of which a proof exempts from the bound of all together.
    ///   - origin: Who asks for it.
    /// - Returns: What ``giveBack(_:)`` takes where the mail is not queued after all.
    /// - Throws: `Refusal`: `limit_exceeded` with the time to wait.
    @discardableResult
    public func chargeMail(
        to address: String,
        for subject: Subject,
        provenBy credentials: [Credential],
        origin: Owner
    ) async throws -> [ChargeKey] {
        let charges = mailCharges(to: address, for: subject, provenBy: credentials, origin: origin)
        switch try await taken(charges) {
        case .charged(let keys, _): return keys
        case .blocked(let index, let retryAfterMs): throw Self.mailRefusal(index, retryAfterMs)
        }
    }

    /// Refuses what ``chargeMail(to:for:provenBy:origin:)`` would refuse, and charges nothing.
    public func requireMail(
        to address: String,
        for subject: Subject,
        provenBy credentials: [Credential],
        origin: Owner
    ) async throws {
        let charges = mailCharges(to: address, for: subject, provenBy: credentials, origin: origin)
        let known = try await peeked(charges.map(\.key))
        let proofs = try await peeked(charges.flatMap(\.exemptIfProven)).contains(where: \.proven)
        for (index, (budget, charge)) in zip(known, charges).enumerated() {
            guard case .window(let most, _) = charge.rule, budget.used >= most else { continue }
            if proofs, !charge.exemptIfProven.isEmpty { continue }
            throw Self.mailRefusal(index, budget.retryAfterMs)
        }
    }

    /// The budgets of a mail: two of the origin, then two of the address.
    private func mailCharges(
        to address: String,
        for subject: Subject,
        provenBy credentials: [Credential],
        origin: Owner
    ) -> [Charge] {
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
        let proofs = credentials.map { Budgets.own($0, of: subject, at: origin, key: lockKey) }
        return [
            charge("uid\u{1F}\(place)", mails.perOrigin, .seconds(600)),
            charge("uid-day\u{1F}\(place)", mails.perOriginDaily, .seconds(24 * 3600)),
            charge("address\u{1F}\(folded)\u{1F}\(place)", Self.mailsPerAddress, .seconds(3600)),
            charge("address-day\u{1F}\(folded)", Self.mailsPerAddressDaily, .seconds(24 * 3600), exempt: proofs),
        ]
    }

    private static func mailRefusal(_ index: Int, _ retryAfterMs: Int64) -> Refusal {
        let sentence = index < 2 ? "you have had as many mails sent" : "this address was sent as many mails"
        return Refusal(.limitExceeded, "\(sentence) as may be for now").retrying(afterMs: retryAfterMs)
            .with(.limit, index < 2 ? "mailsPerUid" : "mailsPerAddress")
    }

    /// Gives back what ``chargeMail(to:for:provenBy:origin:)`` took for a mail that was not queued.
    public func giveBack(_ charges: [ChargeKey]) async throws {
        guard !charges.isEmpty else { return }
        do {
            try await store.attempts.settle(charges)
        } catch {
            throw Refusal(.storageFailed, "a charge could not be given back").because("\(error)")
        }
    }

    /// Takes all charges or none.
    private func taken(_ charges: [Charge]) async throws -> ChargeOutcome {
        do {
            return try await store.attempts.charge(charges)
        } catch {
            throw Refusal(.storageFailed, "what was asked for could not be counted").because("\(error)")
        }
    }
}
