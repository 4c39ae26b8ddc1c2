import BrokerAPI
import FlowModel
import Localization
import OAuth
import Testing

@testable import Terminal

@Suite(.timeLimit(.minutes(2)))
struct CommandFailureTests {
    private let correlation = CorrelationID()

    @Test("text output has a message, a hint and the correlation id of logged errors") func sentence() {
        var failure = CommandFailure(
            .failed,
            "not_found",
            Text(exactly: "There is no task x."),
            hint: Text(exactly: "`tasks list`")
        )
        failure.correlationID = correlation
        let text = failure.text(program: "tasks", asJSON: false)
        #expect(text == "tasks: error: There is no task x.\nhint: `tasks list`")
        failure.isRecorded = true
        #expect(failure.text(program: "tasks", asJSON: false) == text + "\ncorrelation id: \(correlation)")
    }

    @Test("JSON output is one line with reason, message and correlation id") func json() throws {
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

    @Test("argument errors are not logged, so text output has no id, and JSON has one")
    func usage() {
        let error = BrokerError(
            JSONRPCError.invalidParams(Text(exactly: "that is no redirect URI")).correlated(correlation)
        )
        let failure = CommandFailure(error, correlation)
        #expect(failure.status == .usage)
        #expect(failure.text(program: "tasks", asJSON: false) == "tasks: error: that is no redirect URI")
        #expect(failure.text(program: "tasks", asJSON: true).contains(correlation.description))
    }

    @Test("text from the broker cannot move the cursor") func unsafe() {
        let failure = CommandFailure(.failed, "x", Text(exactly: "a\u{1B}[2Jb\nc"))
        #expect(!failure.text(program: "tasks", asJSON: false).unicodeScalars.contains("\u{1B}"))
        #expect(!failure.text(program: "tasks", asJSON: false).contains("\n"))
    }

    @Test(
        "an error of the broker keeps its reason and has the exit code of its kind",
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
        #expect(failure.hint?.english == "Try again in 2 s.")
        #expect(failure.facts["retryAfterMs"] == 1200)
    }

    @Test(
        "text output has a correlation id if a daemon logged more than it returned",
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

    @Test("text output is localized, and JSON is in English without the key")
    func language() throws {
        let refusal = Refusal(.accountAmbiguous, Text("refusal.severalAccounts", ["count": 2])).with(.limit, "x")
        let error = BrokerError(JSONRPCError(refusal, correlationID: correlation))
        let failure = CommandFailure(error, correlation)
        #expect(failure.text.words(in: .german) == "Sie haben 2 Konten. Nennen Sie eines davon.")
        let json = try #require(try StrictJSON.parse(failure.text(program: "tasks", asJSON: true).utf8)["error"])
        #expect(json["message"] == "You have 2 accounts. Specify one of them." && json["limit"] == "x")
        #expect(json["key"] == nil && json["parameters"] == nil)
    }

    @Test("a message of a newer daemon is shown unchanged") func newer() {
        let data: JSONValue = ["reason": "blocked", "key": "refusal.ofNewerVersion", "parameters": ["a": "b"]]
        let error = BrokerError(JSONRPCError(code: 1007, message: "Wait a little.", data: data))
        let failure = CommandFailure(error, correlation)
        #expect(failure.text.words(in: .german) == "Wait a little." && failure.message == "Wait a little.")
    }

    @Test("a library's or server's message is translated by its key, and one without translation is shown unchanged")
    func libraries() {
        let known = EnglishText("words of a server", Text("row.missing", ["name": "text"]))
        #expect(Text(known).words(in: .german) == "'text' fehlt" && Text(known).english == "'text' is required")
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

    @Test("an error that does not come from the daemon has its own message, if the catalogs contain it") func others() {
        let failure = CommandFailure(Failing(), correlation)
        #expect(failure.reason == "internal" && failure.text == Text("row.missing", ["name": "text"]))
        #expect(CommandFailure(UnreadableAnswer("x"), correlation).text.exactWords == "\(UnreadableAnswer("x"))")
    }

    @Test("a cancelled task ends the command as cancelled") func cancelled() {
        let failure = CommandFailure(CancellationError(), correlation)
        #expect(failure.status == .denied)
        #expect(failure.reason == "cancelled")
    }
}
