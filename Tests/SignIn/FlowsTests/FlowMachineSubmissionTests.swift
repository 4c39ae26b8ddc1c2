import FlowModel
import Foundation
import Moments
import OAuth
import Policies
import TestSupport
import Testing

@testable import Flows

@Suite(.timeLimit(.minutes(2)))
struct FlowMachineSubmissionTests {
    private let answers: [String: JSONValue] = ["username": "jo@example.org", "password": "x"]

    @Test("a submission repeated under its id is not evaluated again, whatever it contains") func idempotent() {
        let rig = Rig()
        let step = rig.step?.id ?? ""
        rig.submit(answers, step: step, id: "a")
        rig.happen(.evaluated(.wrong))
        let after = rig.record
        rig.submit(["password": "other"], step: step, id: "a")
        #expect(rig.verdict == .rejected)
        #expect(rig.work == nil)
        #expect(rig.record == after)
    }

    @Test("a submission repeated after the end of the flow still gets its verdict") func idempotentAtTheEnd() {
        let rig = Rig()
        let step = rig.step?.id ?? ""
        rig.submit(answers, step: step, id: "a")
        rig.happen(.evaluated(.right(Samples.jo, names: [])))
        rig.submit(answers, step: step, id: "a")
        #expect(rig.verdict == .accepted)
        #expect(rig.finish == nil)
    }

    @Test("another id for an answered step is 1004 with the revision") func staleStep() {
        let rig = Rig()
        let step = rig.step?.id ?? ""
        rig.submit(answers, step: step)
        rig.happen(.evaluated(.wrong))
        rig.submit(answers, step: step)
        #expect(rig.refusal?.reason == .staleStep)
        #expect(rig.refusal?.facts[.revision] == "\(rig.flow.rev)")
        rig.submit(answers, step: "st_never")
        #expect(rig.refusal?.reason == .staleStep)
    }

    @Test("while an answer is evaluated every further submission is 1005, including the same one") func inProgress() {
        let rig = Rig()
        let step = rig.step?.id ?? ""
        rig.submit(answers, step: step, id: "a")
        rig.submit(answers, step: step, id: "b")
        #expect(rig.refusal?.reason == .submissionInProgress)
        rig.submit(answers, step: step, id: "a")
        #expect(rig.refusal?.reason == .submissionInProgress)
        rig.act("create", step: step)
        #expect(rig.refusal?.reason == .submissionInProgress)
    }

    @Test("an answer that was refused without evaluation leaves its step and its id valid") func refusedUnevaluated() {
        let rig = Rig()
        let step = rig.step?.id ?? ""
        rig.submit(answers, step: step, id: "a")
        rig.happen(.evaluated(.refused(Refusal(.blocked, Text(exactly: "Blocked")).retrying(afterMs: 9_000))))
        #expect(rig.refusal?.reason == .blocked)
        #expect(rig.refusal?.retryAfterMs == 9_000)
        #expect(rig.step?.id == step)
        #expect(rig.flow.state == .challenge)
        rig.submit(answers, step: step, id: "a")
        #expect(rig.work != nil)
    }

    @Test(
        "a malformed answer is 1006 with the problem, and charges nothing",
        arguments: [
            ([:], ["username missing", "password missing"]),
            (["username": "jo", "password": "x"], ["username malformed"]),
            (["username": "jo@", "password": "x"], ["username malformed"]),
            (["username": "j@x.org"], ["password missing"]),
            (["username": "j@x.org", "password": ""], ["password missing"]),
            (["username": "j@x.org", "password": nil], ["password missing"]),
            (["username": 7, "password": "x"], ["username wrong_type"]),
            (["username": "j@x.org", "password": ["x"]], ["password wrong_type"]),
            (["username": "j@x.org", "password": "x", "pin": "1"], ["pin unknown"]),
            (["username": .string(String(repeating: "j", count: 255)), "password": "x"], ["username too_long"]),
            (["username": "j@x.org", "password": .string(String(repeating: "x", count: 257))], ["password too_long"]),
            (["username": "j@x.o", "password": .string(String(repeating: "x", count: 20_000))], ["answers too_long"]),
        ] as [([String: JSONValue], [String])]
    )
    func malformed(_ answers: [String: JSONValue], _ expected: [String]) {
        let rig = Rig()
        let step = rig.step?.id
        rig.submit(answers)
        #expect(rig.refusal?.reason == .invalidAnswer)
        #expect(rig.refusal?.nodes.map { "\($0.name) \($0.code.rawValue)" } == expected)
        #expect(rig.work == nil)
        #expect(rig.step?.id == step)
    }

    @Test("where users sign in with addresses, another name sends no code and uses up no mail of the flow")
    func noAddress() {
        let rig = Rig(Samples.policy(.passwordReset, signInChecks: ["EmailCode"]))
        #expect(rig.step?.type == .identifier)
        rig.submit(["username": "jo@"])
        #expect(rig.refusal?.nodes.map(\.code) == [.malformed] && rig.recipient == nil)
        #expect(rig.refusal?.nodes.first?.text == "Enter a complete e-mail address, such as ada@example.org.")
        #expect(rig.record.history.mails == 0)
        rig.submit(["username": " jo@x.org "])
        #expect(rig.recipient != nil && rig.refusal == nil)
    }

    @Test("more than 32 answers are malformed") func tooMany() {
        let rig = Rig()
        rig.submit(Dictionary(uniqueKeysWithValues: (0..<33).map { ("n\($0)", .null) }))
        #expect(rig.refusal?.nodes.map(\.code) == [.tooLong])
    }

    @Test("20 malformed answers leave the step open, the 21st ends the flow as denied") func twentyOne() {
        let rig = Rig()
        let step = rig.step?.id
        for _ in 0..<20 {
            rig.submit([:])
            #expect(rig.refusal?.reason == .invalidAnswer)
        }
        #expect(rig.step?.id == step)
        rig.submit([:])
        #expect(rig.verdict == .rejected)
        #expect(rig.flow.state == .failed(.denied))
    }

    @Test("a new step resets the count of malformed answers") func freshStep() {
        let rig = Rig()
        for _ in 0..<20 { rig.submit([:]) }
        rig.submit(answers)
        rig.happen(.evaluated(.wrong))
        rig.submit([:])
        #expect(rig.refusal?.reason == .invalidAnswer)
        #expect(rig.flow.state == .challenge)
    }

    @Test("an empty submission id, or one of more than 64 characters, is rejected", arguments: [0, 65])
    func submissionID(_ length: Int) {
        let rig = Rig()
        rig.submit(answers, id: String(repeating: "a", count: length))
        #expect(rig.refusal?.reason == .invalidAnswer)
        #expect(rig.work == nil)
    }

    @Test("a flow accepts 64 answers, and ends as denied at the next") func bounded() {
        let rig = Rig()
        for _ in 0..<64 {
            rig.submit(answers)
            rig.happen(.evaluated(.wrong))
        }
        #expect(rig.flow.state == .challenge)
        rig.submit(answers)
        #expect(rig.flow.state == .failed(.denied))
    }

    @Test(
        "an action that the step does not offer is 1006",
        arguments: ["resend", "back", "skip", "forgot", "choose", ""]
    )
    func noSuchAction(_ action: String) {
        let rig = Rig()
        rig.act(action)
        #expect(rig.refusal?.reason == .invalidAnswer)
        #expect(rig.flow.state == .challenge)
    }

    @Test("an action repeated under its id is executed once") func idempotentAction() {
        let rig = Rig()
        let step = rig.step?.id ?? ""
        rig.act("create", step: step, id: "a")
        #expect(rig.step?.type == .attributes)
        let after = rig.record
        rig.act("create", step: step, id: "a")
        #expect(rig.record == after)
        #expect(rig.verdict == .next)
    }

    @Test("cancelling ends the flow, and later answers are 1003 with the state") func cancelled() {
        let rig = Rig()
        let step = rig.step?.id ?? ""
        rig.happen(.cancelled)
        #expect(rig.flow.state == .cancelled)
        let rev = rig.flow.rev
        rig.happen(.cancelled)
        #expect(rig.flow.rev == rev)
        rig.submit(answers, step: step)
        #expect(rig.refusal?.reason == .flowFinished)
        #expect(rig.refusal?.facts[.state] == "cancelled")
    }

    @Test("cancelling while an answer is evaluated takes precedence over its result") func cancelledMeanwhile() {
        let rig = Rig()
        rig.submit(answers)
        rig.happen(.cancelled)
        rig.happen(.evaluated(.right(Samples.jo, names: [])))
        #expect(rig.flow.state == .cancelled)
        #expect(rig.finish == nil)
    }

    @Test("the action cancel also ends the flow") func cancelAction() {
        let rig = Rig()
        rig.act("cancel")
        #expect(rig.flow.state == .cancelled)
    }
}
