import FlowModel
import StrictYAML

struct CheckReader {
    private(set) var checks: [String: Check] = [:]
    private(set) var order: [String] = []

    init(_ node: YAMLNode, problems: inout [Problem]) {
        let file = PolicyShape.checks.read(node, problems: &problems)
        for (name, value) in file["checks"].members {
            guard let type = CheckType(name: value["type"].text) else { continue }
            let check = Self.check(name, type, value)
            checks[name] = check
            problems += Self.problems(of: check, value) + Self.realmProblems(of: check, value)
            if let other = checks.values.first(where: check.isMistaken) {
                problems.append(
                    value["realm"].problem(
                        "`checks.\(name).realm` is the realm of \(other.name), which has another provider: users with the same name would be confused"
                    )
                )
            }
        }
        // A check that was rejected above still counts as known, so that references to it are not reported as well.
        let names = (node["checks"]?.names ?? []).filter { file["checks"].members.map(\.name).contains($0) }
        order = Self.order(names, file["order"], problems: &problems)
    }

    private static func check(_ name: String, _ type: CheckType, _ value: YAMLValue) -> Check {
        func seconds(_ key: String) -> Duration? { value[key].optionalNumber.map { .seconds($0) } }
        let blocked = seconds("blockedStateExpirationSec") ?? type.blockedStateExpiration
        return Check(
            name: name,
            type: type,
            maxAttempts: value["maxAttempts"].optionalNumber,
            attemptingStateExpiration: seconds("attemptingStateExpirationSec"),
            successStateExpiration: seconds("successStateExpirationSec"),
            rememberMe: .seconds(value["rememberMeDurationSec"].number),
            blockedStateExpiration: blocked,
            backoffFactor: value["blockedBackoff"]["factor"].number,
            backoffMax: max(.seconds(value["blockedBackoff"]["maxSec"].number), blocked),
            dailyLimit: value["dailyLimit"].number,
            acr: value["acr"].isPresent ? value["acr"].text : nil,
            amr: value["amr"].isPresent ? value["amr"].items.map(\.text) : nil,
            pin: PINRule(
                minLength: value["minLength"].optionalNumber ?? PINRule().minLength,
                digitsOnly: value["digitsOnly"].optionalFlag ?? true,
                allowsEnrolment: value["allowEnrolment"].optionalFlag ?? true
            ),
            realm: type == .customIdentityProvider ? realm(value) : nil,
            assertion: type == .assertion ? assertion(value) : nil,
            share: .init(rawValue: value["share"].text) ?? .client,
            allowsEnrolment: value["allowEnrolment"].optionalFlag ?? true
        )
    }

    private static func problems(of check: Check, _ value: YAMLValue) -> [Problem] {
        var problems: [Problem] = []
        let noun = check.type.noun
        func refuse(_ key: String, _ reason: String, at place: YAMLValue? = nil) {
            problems.append((place ?? value[key]).problem("`checks.\(check.name).\(key)` \(reason)"))
        }
        func warn(_ key: String, _ reason: String) {
            problems.append(value[key].warning("`checks.\(check.name).\(key)` \(reason)"))
        }
        if check.blockedStateExpiration == .zero { warn("blockedStateExpirationSec", "0 disables the attempt limit") }
        if check.type == .pin, check.pin?.digitsOnly == false {
            warn("digitsOnly", "false allows letters in a PIN, which a numeric keypad cannot enter")
        }
        let longest = value["blockedBackoff"]["maxSec"]
        if longest.isGiven, longest.number < value["blockedStateExpirationSec"].number {
            refuse("blockedBackoff.maxSec", "is less than the first block", at: longest)
        }
        if check.rememberMe > .zero, check.credential != .password {
            refuse("rememberMeDurationSec", "is for a password, but the check is \(noun)")
        }
        if !check.type.isEnrolled, value["allowEnrolment"].isPresent {
            refuse("allowEnrolment", "is for a credential that users enrol, but the check is \(noun)")
        }
        for key in ["minLength", "digitsOnly"] where check.pin == nil && value[key].isPresent {
            refuse(key, "is for a PIN, but the check is \(noun)")
        }
        if check.maxAttempts > check.dailyLimit { refuse("maxAttempts", "is more than `dailyLimit`") }
        return problems
    }

    /// Returns the names in file order, except that each check comes after the checks that it must follow.
    private static func order(_ names: [String], _ rules: YAMLValue, problems: inout [Problem]) -> [String] {
        var after: [String: [String]] = [:]
        for (name, rule) in rules.members {
            for value in [(name, rule)] + rule["after"].items.map({ ($0.text, $0) }) where !names.contains(value.0) {
                problems.append(value.1.problem("`order` lists an unknown check: \(value.0)"))
            }
            after[name] = rule["after"].items.map(\.text).filter(names.contains)
        }
        var sorted: [String] = []
        var waiting = names
        while let next = waiting.firstIndex(where: { (after[$0] ?? []).allSatisfy(sorted.contains) }) {
            sorted.append(waiting.remove(at: next))
        }
        if let first = waiting.first(where: { after[$0] != nil }) {
            let loop = waiting.joined(separator: ", ")
            problems.append(rules[first].problem("`order` has a cycle: \(loop) each come after another one"))
        }
        return sorted + waiting
    }
}
