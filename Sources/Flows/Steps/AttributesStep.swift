import FlowModel
import Foundation
import Moments
import OAuth
import Policies

/// Who a new person is, and a new password.
extension FlowMachine {
    /// What an attributes step asks for.
    func attributeNodes(_ state: FlowRunState) -> [Node] {
        policy.attributes.map { rule in
            Node(
                name: rule.name,
                kind: Self.kind(rule),
                label: rule.label(in: policy.language),
                required: rule.required || policy.signInName.attributes.contains(rule.name),
                value: Self.shown(value(of: rule, state)),
                minLength: rule.minLength > 0 ? rule.minLength : nil,
                maxLength: rule.kind == .string || rule.kind == .email ? rule.maxLength : nil,
                options: rule.options.isEmpty ? nil : rule.options
            )
        } + (asksPassword(state) ? [passwordNode] : [])
    }

    /// What a new person said.
    struct AttributesAnswer {
        let draft: Draft
        let password: Secret?
        /// What is shown again if the step comes back.
        let prefill: [String: JSONValue]
    }

    /// Reads the answers to an attributes step.
    func readAttributes(
        _ answers: Answers,
        _ state: FlowRunState,
        now: Moment
    ) throws(Answers.Refused) -> AttributesAnswer {
        if signUp == .closed { throw .refused(Refusals.signUpClosed) }
        var answers = answers
        var values: [String: JSONValue] = [:]
        for rule in policy.attributes {
            if let value = read(rule, &answers, state) { values[rule.name] = value }
        }
        var password: Secret?
        if asksPassword(state) {
            password = answers.text("password", most: FlowLimits.answerBytes).map { Secret($0) }
            if let problem = password.flatMap({ policy.password.refusal(of: $0) }) {
                answers.note("password", Self.code(problem), problem.description + ".")
            }
        }
        try answers.finish()
        let email = values["email"]?.string
        let rule = policy.attribute("email")
        let needsCode = plannedChecks(state).contains { $0.type == .emailCode }
        let draft = Draft(
            email: policy.signInName == .username ? nil : email,
            username: values["username"]?.string,
            attributes: values,
            passwordHash: nil,
            mustVerify: email != nil && (rule?.verify == true || needsCode || signUp == .invited)
        )
        try requireName(draft, state)
        if draft.mustVerify {
            let isSame = state.code.map { code in email.map { Names.areEqual(code.address, $0) } ?? false } ?? false
            try requireMail(state, sameAs: isSame, now: now)
        }
        return AttributesAnswer(draft: draft, password: password, prefill: values)
    }

    /// Goes on with what a new person said.
    func attributesTaken(_ state: inout FlowRunState, _ answer: AttributesAnswer, now: Moment) -> [FlowEffect] {
        state.draft = answer.draft
        state.prefill = answer.prefill
        if let password = answer.password { return [.evaluate(.hash(password))] }
        return advance(&state, now: now)
    }

    /// Asks for another name.
    func nameTaken(_ state: inout FlowRunState, now: Moment) -> [FlowEffect] {
        state.draft = nil
        state.code = nil
        state.proofs = []
        state.finished = nil
        record(&state, .rejected)
        _ = open(&state, .attributes, messages: [Texts.nameTaken], now: now)
        return [.audit("signup.refused", ["reason": "name.taken"]), .answer(.rejected)]
    }

    /// Returns to the step before.
    func back(_ state: inout FlowRunState, from step: OpenStep, now: Moment) -> [FlowEffect] {
        state.code?.mac = nil
        switch step.type {
        case .attributes: state.path = .signIn
        case .code where state.path == .signUp: state.draft = nil
        case .code, .identifier, .password, .consent: break
        }
        return advance(&state, now: now)
    }

    private func asksPassword(_ state: FlowRunState) -> Bool {
        plannedChecks(state).contains { $0.type == .password }
    }

    private var passwordNode: Node {
        Node(
            name: "password",
            kind: .secret,
            label: "New password",
            required: true,
            minLength: policy.password.minLength,
            maxLength: policy.password.maxLength
        )
    }

    /// Who signs up under another name than the one that was asked for is somebody else.
    private func requireName(_ draft: Draft, _ state: FlowRunState) throws(Answers.Refused) {
        guard case .signInName(let name) = state.requirement.user else { return }
        let names = [draft.email, draft.username].compactMap { $0 }
        guard names.contains(where: { Names.areEqual($0, name) }) else { throw .refused(Refusals.wrongUser) }
    }

    private func read(_ rule: AttributeRule, _ answers: inout Answers, _ state: FlowRunState) -> JSONValue? {
        let isName = policy.signInName.attributes.contains(rule.name)
        guard let value = answers.take(rule.name) ?? value(of: rule, state) else {
            if rule.required || isName { answers.note(rule.name, .missing, "An answer is needed.") }
            return nil
        }
        let text: String? =
            switch rule.kind {
            case .string, .email: value.string
            case .boolean: value.bool.map { "\($0)" }
            case .int: value.int.map { "\($0)" }
            }
        guard let text else {
            answers.note(rule.name, .wrongType, "This must be \(Self.typeName(rule.kind)).")
            return nil
        }
        if let refusal = rule.refusal(of: text) {
            answers.note(rule.name, Self.code(refusal), refusal.description + ".")
            return nil
        }
        if text.isEmpty {
            if isName { answers.note(rule.name, .missing, "An answer is needed.") }
            return nil
        }
        return value
    }

    private func value(of rule: AttributeRule, _ state: FlowRunState) -> JSONValue? {
        if let value = state.prefill[rule.name] { return value }
        guard policy.signInName.attributes.contains(rule.name) else { return nil }
        let name = knownName(state)
        if rule.kind == .email { return name.flatMap { AttributeRule.isAddress($0) ? .string($0) : nil } }
        return policy.signInName == .username ? name.map { .string($0) } : nil
    }

    private static func kind(_ rule: AttributeRule) -> Node.Kind {
        if !rule.options.isEmpty { return .select }
        return switch rule.kind {
        case .string: .text
        case .boolean: .bool
        case .int: .number
        case .email: .email
        }
    }

    private static func shown(_ value: JSONValue?) -> String? {
        switch value {
        case .string(let text): text
        case .bool(let value): "\(value)"
        case .int(let value): "\(value)"
        default: nil
        }
    }

    private static func typeName(_ kind: AttributeRule.Kind) -> String {
        switch kind {
        case .string, .email: "text"
        case .boolean: "true or false"
        case .int: "a whole number"
        }
    }

    private static func code(_ refusal: AttributeRule.Refusal) -> NodeProblem.Code {
        switch refusal {
        case .missing: .missing
        case .tooShort: .tooShort
        case .tooLong: .tooLong
        case .notAnOption: .notAnOption
        case .malformed, .forbiddenCharacters: .malformed
        }
    }

    private static func code(_ refusal: PasswordRule.Refusal) -> NodeProblem.Code {
        switch refusal {
        case .tooShort: .tooShort
        case .tooLong: .tooLong
        case .tooFewClasses: .tooWeak
        }
    }
}
