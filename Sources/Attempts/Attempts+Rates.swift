public import AuthorityStore
public import FlowModel
import OAuth
public import Origins

extension Attempts {
    /// The mails to one address in an hour: 10, and 5 more for origins where its person has given a right answer before.
    public static let mailsPerAddressHourly = SharedTotal(most: 15, reserved: 5, mostOfLevel: 15)
    /// The mails to one address in 24 hours, of origins where its person has given no right answer.
    public static let mailsPerAddressDaily = SharedTotal(most: 100, reserved: 0, mostOfLevel: 100)

    /// Charges the hashing of a new password, or a call outside for a person; this charge is never given back.
    ///
    /// - Parameter origin: The place that the person comes from.
    /// - Throws: `Refusal`: `limit_exceeded` with the time to wait.
    public func chargeHash(origin: Origin) async throws {
        let outcome = try await taken(Budgets.evaluation(at: origin, key: lockKey))
        if case .blocked(_, let retryAfterMs) = outcome { throw Self.crowded(retryAfterMs) }
    }

    /// The greatest number of user codes that one place may try in ten minutes (RFC 8628 §5.1).
    public static let userCodesPerOrigin = 20
    /// The user codes that all origins together may try in a minute.
    public static let userCodes = SharedTotal(most: 600)

    /// Charges a look for a device's user code; this charge is never given back.
    ///
    /// - Parameter origin: The place it comes from.
    /// - Throws: `Refusal`: `limit_exceeded` with the time to wait.
    public func chargeUserCode(origin: Origin) async throws {
        let own = Charge(
            key: Budgets.name("user codes\u{1F}\(Budgets.place(origin))", lockKey),
            subject: nil,
            rule: .window(max: Self.userCodesPerOrigin, period: .seconds(600))
        )
        let shared = Budgets.shared(
            "user codes of all",
            SharedRate(Self.userCodes, period: .seconds(60), reservedFor: .known(origin.levels)),
            at: origin.levels,
            most: { _ in Self.userCodes.mostOfLevel },
            lockKey
        )
        let outcome = try await taken([own] + shared)
        if case .blocked(_, let retryAfterMs) = outcome {
            throw Refusal(.limitExceeded, "too many codes were tried").retrying(afterMs: retryAfterMs)
        }
    }

    /// Charges a mail before it is queued, against all budgets that it concerns or none.
    ///
    /// Strangers can use up the mails to an address, but not those that are reserved for origins where its person has given
    /// a right answer. No network or user gets more than are left for the others.
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
        origin: Origin
    ) async throws -> [ChargeKey] {
        let charges = mailCharges(to: address, for: subject, provenBy: credentials, origin: origin)
        switch try await taken(charges) {
        case .charged(let keys, _): return keys
        case .blocked(let index, let retryAfterMs): throw mailRefusal(index, retryAfterMs)
        }
    }

    /// Refuses a mail that ``chargeMail(to:for:provenBy:origin:)`` would refuse, and charges nothing.
    public func requireMail(
        to address: String,
        for subject: Subject,
        provenBy credentials: [Credential],
        origin: Origin
    ) async throws {
        let charges = mailCharges(to: address, for: subject, provenBy: credentials, origin: origin)
        let outcome: ChargeOutcome
        do {
            outcome = try await store.attempts.outlook(charges)
        } catch {
            throw Refusal(.storageFailed, "the mails could not be counted").because("\(error)")
        }
        if case .blocked(let index, let retryAfterMs) = outcome { throw mailRefusal(index, retryAfterMs) }
    }

    /// The budgets of a mail, in the order of ``mailRefusal(_:_:)``.
    private func mailCharges(
        to address: String,
        for subject: Subject,
        provenBy credentials: [Credential],
        origin: Origin
    ) -> [Charge] {
        let place = Budgets.place(origin)
        let folded = SignInName.folded(address)
        let proofs = credentials.flatMap { Budgets.proofs($0, of: subject, at: origin, key: lockKey) }
        func key(_ name: String) -> BudgetKey { Budgets.name("mails\u{1F}\(name)", lockKey) }
        func charge(_ name: String, _ most: Int, _ period: Duration, exempt: [BudgetKey] = []) -> Charge {
            Charge(key: key(name), subject: nil, rule: .window(max: most, period: period), exemptIfProven: exempt)
        }
        let here = Budgets.exempting(proofs, at: origin)
        func shared(_ name: String, _ total: SharedTotal, _ period: Duration) -> [Charge] {
            Budgets.shared(
                "mails\u{1F}\(name)\u{1F}\(folded)",
                SharedRate(total, period: period, reservedFor: .proven(proofs)),
                at: origin.levels,
                most: { _ in total.mostOfLevel },
                exempt: proofs,
                lockKey
            )
        }
        let daily = shared("address-day", Self.mailsPerAddressDaily, .seconds(24 * 3600)).map {
            Charge(key: $0.key, subject: $0.subject, rule: $0.rule, exemptIfProven: proofs)
        }
        return [
            charge("uid\u{1F}\(place)", mails.perOrigin, .seconds(600), exempt: here),
            charge("uid-day\u{1F}\(place)", mails.perOriginDaily, .seconds(24 * 3600), exempt: here),
        ] + shared("address-hour", Self.mailsPerAddressHourly, .seconds(3600)) + daily
    }

    /// The refusal by the charge with this index, which names the limit that was met.
    private func mailRefusal(_ index: Int, _ retryAfterMs: Int64) -> Refusal {
        let (limit, sentence) =
            switch index {
            case 0: ("mailsPerUid", "you have had \(mails.perOrigin) mails sent in ten minutes")
            case 1: ("mailsPerUidPerDay", "you have had \(mails.perOriginDaily) mails sent in 24 hours")
            case 2..<2 + Budgets.origin:
                ("mailsPerAddressPerHour", "this address was sent as many codes as it may be in an hour")
            default: ("mailsPerAddressPerDay", "this address was sent as many codes as it may be in 24 hours")
            }
        return Refusal(.limitExceeded, "\(sentence); try again later").retrying(afterMs: retryAfterMs)
            .with(.limit, limit)
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
    func taken(_ charges: [Charge]) async throws -> ChargeOutcome {
        do {
            return try await store.attempts.charge(charges)
        } catch {
            throw Refusal(.storageFailed, "what was asked for could not be counted").because("\(error)")
        }
    }
}
