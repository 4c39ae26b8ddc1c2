public import FlowModel
import OAuth
import OpenIDClient

/// Operations for URLs that users paste because their browsers do not return to this daemon.
extension OutsideFlows {
    /// The name of the node for the URL, both in the step and in its answers.
    private static let node = "callbackUrl"
    /// The maximum length of a URL, in characters.
    private static let longestAddress = 8_192

    /// Opens the step that prompts for the URL that the browser's address bar contains after the sign-in.
    ///
    /// - Returns: The flow with its step, which contains the URL to open in the browser.
    /// - Throws: `provider_unavailable` or `provider_protocol`. Either error ends the flow.
    public func asking(_ id: String, owner: Owner, language: LanguageTag?) async throws(Refusal) -> Flow {
        let texts = Texts(for: language.map { [$0] } ?? [])
        let redirectURI = try load(id, owner).request.registration.redirectURI
        let flow = try await opened(id, owner) { address, name in
            Step(
                id: "st_" + Self.random(16),
                type: StepType(rawValue: "browser"),
                title: texts[.outsideTitle, ["authority": name]],
                nodes: [
                    Node(name: "open", kind: .link, label: texts[.outsideAddress], required: false, value: address),
                    Node(
                        name: Self.node,
                        kind: .code,
                        label: texts[.outsideEnd],
                        required: true,
                        maxLength: Self.longestAddress,
                        hint: texts[.outsideHint]
                    ),
                ],
                data: [
                    "url": .string(address), "provider": .string(name), "redirectURI": .string(redirectURI),
                ]
            )
        }
        return flow
    }

    /// Accepts the URL that a user has pasted, and stores the tokens before returning.
    ///
    /// - Throws: `stale_step`, `flow_finished`, or `invalid_answer` if the URL does not belong to this sign-in. Too
    ///   many such URLs end the flow.
    func pasted(
        step: String,
        submission: String,
        answers: [String: JSONValue],
        to id: String,
        _ caller: Caller
    ) async throws(Refusal) -> SubmissionResult {
        let flow = try load(id, caller.owner)
        if flow.question?.submission == submission, flow.state.isTerminal { return Self.result(flow.shown) }
        guard !flow.state.isTerminal else { throw Refusals.flowFinished(flow.state) }
        guard let question = flow.question?.step, question.id == step, !flow.isAnswered else {
            throw Refusals.staleStep(rev: flow.rev)
        }
        let texts = Texts(for: caller.presentation.language.map { [$0] } ?? [])
        let answer: ProviderAnswer
        do throws(Answers.Refused) {
            answer = try Self.answer(answers, to: question, of: flow, texts)
        } catch {
            switch error {
            case .refused(let refusal): throw refusal
            case .malformed(let problems):
                guard noteMalformed(id) else { return Self.result(end(id, .failed(.denied))) }
                throw Refusals.invalidAnswer(problems)
            }
        }
        took(submission, for: id)
        return Self.result(try await returned(id, owner: caller.owner, answer))
    }

    /// Parses a URL, which must begin with the local redirect URI and contain this sign-in's `state`.
    private static func answer(
        _ given: [String: JSONValue],
        to question: Step,
        of flow: OutsideFlow,
        _ texts: Texts
    ) throws(Answers.Refused) -> ProviderAnswer {
        var answers = try Answers(given, to: question.nodes, texts)
        let text = answers.text(node, most: longestAddress)
        let answer = text.flatMap { Self.answer($0, of: flow) }
        if text != nil, answer == nil {
            answers.note(NodeProblem(name: node, code: .malformed, text: texts[.outsideMalformed]))
        }
        try answers.finish()
        guard let answer else { throw .malformed([]) }
        return answer
    }

    private static func answer(_ address: String, of flow: OutsideFlow) -> ProviderAnswer? {
        let text = address.trimming { $0.isWhitespace }
        guard let mark = text.firstIndex(of: "?"),
            isReached(flow.request.registration.redirectURI, at: String(text[..<mark])),
            let form = try? Form(String(text[text.index(after: mark)...].prefix { $0 != "#" })),
            form.repeated.isEmpty, let state = form["state"], Secret(state) == Secret(flow.secrets.state)
        else { return nil }
        return ProviderAnswer(code: form["code"].map { Secret($0) }, issuer: form["iss"], error: form["error"])
    }

    /// Whether a redirect to `redirectURI` can lead to `end`, which is the pasted URL without its query.
    private static func isReached(_ redirectURI: String, at end: String) -> Bool {
        if redirectURI == RedirectURI.outOfBand { return end == redirectURI }
        guard let ours = try? RedirectURI(redirectURI), let end = try? RedirectURI(end) else { return false }
        return ours.isReached(at: end)
    }

    private static func result(_ flow: Flow) -> SubmissionResult {
        SubmissionResult(flow: flow, verdict: flow.state.verdict, finished: nil)
    }
}

extension FlowState {
    fileprivate var verdict: Verdict {
        switch self {
        case .succeeded: .accepted
        case .challenge, .pending, .failed, .cancelled, .expired: .rejected
        }
    }
}

extension String {
    fileprivate func trimming(_ isLeftOut: (Character) -> Bool) -> String {
        var rest = self[...].drop(while: isLeftOut)
        while let last = rest.last, isLeftOut(last) { rest.removeLast() }
        return String(rest)
    }
}
