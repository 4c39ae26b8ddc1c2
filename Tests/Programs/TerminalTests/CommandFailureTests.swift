import BrokerAPI
import FlowModel
import Localization
import OAuth
import Testing

@testable import Terminal

@Suite(.timeLimit(.minutes(2)))
struct CommandFailureTests {
    private let correlation = CorrelationID()

    @Test("people read a sentence, a hint, and the correlation id of what is recorded") func sentence() {
        var failure = CommandFailure(
            .failed,
            "not_found",
            Text(exactly: "there is no task x"),
            hint: Text(exactly: "`tasks list`")
        )
        failure.correlationID = correlation
        let text = failure.text(program: "tasks", asJSON: false)
        #expect(text == "tasks: error: there is no task x\nhint: `tasks list`")
        failure.isRecorded = true
        #expect(failure.text(program: "tasks", asJSON: false) == text + "\ncorrelation id: \(correlation)")
    }

    @Test("programs read one line of JSON with reason, message and correlation id") func json() throws {
        var failure = CommandFailure(.tryLater, "blocked", Text(exactly: "wait"))
        failure.facts = ["retryAfterMs": 1500]
        failure.correlationID = correlation
        let text = failure.text(program: "tasks", asJSON: true)
        let error = try #require(try StrictJSON.parse(text.utf8)["error"])
        #expect(error["reason"] == "blocked")
        #expect(error["message"] == "wait")
        #expect(error["retryAfterMs"] == 1500)
        #expect(error["correlationId"]?.string == correlation.description)
    }

    @Test("what is wrong with the arguments stands in no log, so people get no id to look for; programs do")
    func usage() {
        let error = BrokerError(
            JSONRPCError.invalidParams(Text(exactly: "that is no redirect URI")).correlated(correlation)
        )
        let failure = CommandFailure(error, correlation)
        #expect(failure.status == .usage)
        #expect(failure.text(program: "tasks", asJSON: false) == "tasks: error: that is no redirect URI")
        #expect(failure.text(program: "tasks", asJSON: true).contains(correlation.description))
    }

    @Test("what the broker said cannot move the cursor") func unsafe() {
        let failure = CommandFailure(.failed, "x", Text(exactly: "a\u{1B}[2Jb\nc"))
        #expect(!failure.text(program: "tasks", asJSON: false).unicodeScalars.contains("\u{1B}"))
        #expect(!failure.text(program: "tasks", asJSON: false).contains("\n"))
    }

    @Test(
        "a refusal of the broker keeps its reason and has the exit code of its kind",
        arguments: [
            (Refusal.Reason.blocked, Terminal.ExitStatus.tryLater), (.limitExceeded, .tryLater),
            (.shuttingDown, .tryLater),
            (.interactionRequired, .denied), (.notPermitted, .denied), (.wrongUser, .denied), (.locked, .denied),
            (.providerUnavailable, .unreachable), (.unknownPolicy, .failed), (.accountNotFound, .failed),
        ]
    )
    func refusal(_ reason: Refusal.Reason, _ status: Terminal.ExitStatus) {
        let error = BrokerError(
            JSONRPCError(Refusal(reason, Text(exactly: "no")).retrying(afterMs: 1200), correlationID: correlation)
        )
        let failure = CommandFailure(error, CorrelationID())
        #expect(failure.status == status)
        #expect(failure.reason == reason.word)
        #expect(failure.correlationID == correlation)
        #expect(failure.hint?.english == "try again in 2 s")
        #expect(failure.facts["retryAfterMs"] == 1200)
    }

    @Test(
        "people get an id to look for where a daemon has written down more than it told",
        arguments: [
            (Refusal.Reason.storageFailed, true), (.blocked, true), (.providerUnavailable, true),
            (.interactionRequired, false), (.accountNotFound, false), (.limitExceeded, false),
        ]
    )
    func recorded(_ reason: Refusal.Reason, _ isRecorded: Bool) {
        let error = BrokerError(JSONRPCError(Refusal(reason, Text(exactly: "no")), correlationID: correlation))
        let text = CommandFailure(error, CorrelationID()).text(program: "tasks", asJSON: false)
        #expect(text.contains(correlation.description) == isRecorded)
    }

    @Test("people read a refusal in their language, and programs in English, without its key")
    func language() throws {
        let refusal = Refusal(.accountAmbiguous, Text("refusal.severalAccounts", ["count": 2])).with(.limit, "x")
        let error = BrokerError(JSONRPCError(refusal, correlationID: correlation))
        let failure = CommandFailure(error, correlation)
        #expect(failure.text.words(in: .german) == "nennen Sie eines der 2 Konten")
        let json = try #require(try StrictJSON.parse(failure.text(program: "tasks", asJSON: true).utf8)["error"])
        #expect(json["message"] == "name one of the 2 accounts" && json["limit"] == "x")
        #expect(json["key"] == nil && json["parameters"] == nil)
    }

    @Test("a sentence of a newer daemon is shown as it came") func newer() {
        let data: JSONValue = ["reason": "blocked", "key": "refusal.ofNewerVersion", "parameters": ["a": "b"]]
        let error = BrokerError(JSONRPCError(code: 1007, message: "Wait a little.", data: data))
        let failure = CommandFailure(error, correlation)
        #expect(failure.text.words(in: .german) == "Wait a little." && failure.message == "Wait a little.")
    }

    @Test("the sentence of a library or a server is said by its key; one that the catalogs lack is said as it came")
    func libraries() {
        let known = EnglishText("words of a server", Text("row.missing", ["name": "text"]))
        #expect(Text(known).words(in: .german) == "'text' ist nötig" && Text(known).english == "'text' is required")
        for text in [
            Text("row.newer", ["name": "text"]), Text("row.missing"), Text("row.missing", ["name": Text("row.newer")]),
            Text(exactly: "words of a server"),
        ] {
            let said = Text(EnglishText("words of a server", text))
            #expect(said.words(in: .german) == "words of a server" && said.english == "words of a server")
        }
    }

    private struct Failing: TextualError {
        let said = EnglishText("'text' is required", Text("row.missing", ["name": "text"]))
    }

    @Test("an error that is none of the daemon's has its own sentence, if the catalogs have it") func others() {
        let failure = CommandFailure(Failing(), correlation)
        #expect(failure.reason == "internal" && failure.text == Text("row.missing", ["name": "text"]))
        #expect(CommandFailure(UnreadableAnswer("x"), correlation).text.exactWords == "\(UnreadableAnswer("x"))")
    }

    @Test("a cancelled task is a cancelled command") func cancelled() {
        let failure = CommandFailure(CancellationError(), correlation)
        #expect(failure.status == .denied)
        #expect(failure.reason == "cancelled")
    }
}
