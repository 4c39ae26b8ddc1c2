public import AuthorityStore
public import FlowModel
import OAuth

extension Attempts {
    /// The greatest number of mails that one owner may have sent to one address in an hour.
    public static let mailsPerAddress = 20
    /// The greatest number of mails to one address in an hour, of all owners that have given no proof there before.
    public static let mailsPerAddressHourly = 10
    /// The greatest number of mails to one address in 24 hours, of the same owners.
    public static let mailsPerAddressDaily = 100

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
    /// The greatest number of user codes that all places together may try in a minute.
    public static let userCodesPerMinute = 600

    /// Charges a look for a device's user code; this charge is never given back.
    ///
    /// - Parameter origin: The place it comes from.
    /// - Throws: `Refusal`: `limit_exceeded` with the time to wait.
    public func chargeUserCode(origin: Origin) async throws {
        let outcome = try await taken([
            Charge(
                key: Budgets.name("user codes\u{1F}\(Budgets.place(origin))", lockKey),
                subject: nil,
                rule: .window(max: Self.userCodesPerOrigin, period: .seconds(600))
            ),
            Charge(
                key: Budgets.name("user codes of all", lockKey),
                subject: nil,
                rule: .window(max: Self.userCodesPerMinute, period: .seconds(60))
            ),
        ])
        if case .blocked(_, let retryAfterMs) = outcome {
            throw Refusal(.limitExceeded, "too many codes were tried").retrying(afterMs: retryAfterMs)
        }
    }

    /// Charges a mail before it is queued, against all budgets that it concerns or none.
    ///
    /// An owner uses up its own budget for an address. All owners that have given no proof there together have less in an
    /// hour and in a day, of which a part is kept for those that had none: strangers neither flood an address nor close
    /// it.
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
        /// The charges of owners without a proof; a part is kept for those that had no mail in the period.
        func strangers(_ name: String, _ most: Int, _ period: Duration, reserved: Int) -> [Charge] {
            let all = key("\(name)\u{1F}\(folded)")
            let share = key("\(name)-share\u{1F}\(folded)\u{1F}\(place)")
            let rule = Charge.Rule.commons(max: most, period: period, reserved: reserved, share: share)
            return [
                Charge(key: all, subject: nil, rule: rule, exemptIfProven: proofs),
                Charge(key: share, subject: nil, rule: .share(max: most, of: all), exemptIfProven: proofs),
            ]
        }
        return [
            charge("uid\u{1F}\(place)", mails.perOrigin, .seconds(600), exempt: here),
            charge("uid-day\u{1F}\(place)", mails.perOriginDaily, .seconds(24 * 3600), exempt: here),
            charge("address\u{1F}\(folded)\u{1F}\(place)", Self.mailsPerAddress, .seconds(3600)),
        ] + strangers("address-hour", Self.mailsPerAddressHourly, .seconds(3600), reserved: 4)
            + strangers("address-day", Self.mailsPerAddressDaily, .seconds(24 * 3600), reserved: 20)
    }

    /// The refusal by the charge with this index, which names the limit that was met.
    private func mailRefusal(_ index: Int, _ retryAfterMs: Int64) -> Refusal {
        let (limit, sentence) =
            switch index {
            case 0: ("mailsPerUid", "you have had \(mails.perOrigin) mails sent in ten minutes")
            case 1: ("mailsPerUidPerDay", "you have had \(mails.perOriginDaily) mails sent in 24 hours")
            case 2: ("mailsPerAddress", "you have had \(Self.mailsPerAddress) mails sent to this address in an hour")
            case 3, 4: ("mailsPerAddressPerHour", "this address was sent as many codes as it may be in an hour")
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
