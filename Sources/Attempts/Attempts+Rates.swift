public import AuthorityStore
public import FlowModel
import OAuth

extension Attempts {
    /// The greatest number of mails that one owner may have sent to one address in an hour.
    public static let mailsPerAddress = 20
    /// The greatest number of mails to one address in 24 hours, of all owners.
    public static let mailsPerAddressDaily = 100

    /// Charges the hashing of a new password; this charge is never given back.
    ///
    /// - Parameter origin: The owner who makes the account.
    /// - Throws: `Refusal`: `limit_exceeded` with the time to wait.
    public func chargeHash(origin: Owner) async throws {
        let outcome = try await taken(Budgets.evaluation(at: origin, key: lockKey))
        if case .blocked(_, let retryAfterMs) = outcome { throw Self.crowded(retryAfterMs) }
    }

    /// Charges a mail before it is queued, against all budgets that it concerns or none.
    ///
    /// An owner uses up its own budget for an address and nobody else's; all owners together have a looser limit, from
    /// which an owner is exempt if the person has given a proof there before.
    ///
    /// - Parameters:
    ///   - address: The recipient's address, also of a mail that is only made to look as if it were sent.
    ///   - subject: The person it is for.
    ///   - credentials: The credentials of which a proof exempts from the limit of all owners.
    ///   - origin: The owner who asks for it.
    /// - Returns: The charges, for ``giveBack(_:)`` if the mail is not queued after all.
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

    /// Refuses a mail that ``chargeMail(to:for:provenBy:origin:)`` would refuse, and charges nothing.
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

    /// Gives back the charges of ``chargeMail(to:for:provenBy:origin:)`` for a mail that was not queued.
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
