import FlowModel
import Localization
import Storage
import StoreRefusals
import Testing

@Suite(.timeLimit(.minutes(1)))
struct StoreRefusalsTests {
    private let notes = StoreRefusals(
        of: Text(exactly: "the notes' store"),
        absent: Refusal(.flowNotFound, Text(exactly: "there is no such note")),
        crowded: Refusal(.limitExceeded, Text(exactly: "there are too many notes")).with(.limit, "notes")
    )

    @Test(
        "every fault of a store is one refusal, with its cause for the log",
        arguments: [
            (.notFound, .flowNotFound), (.limitExceeded, .limitExceeded), (.busy, .limitExceeded),
            (.consumed, .interactionRequired), (.expired, .interactionRequired), (.signedOut, .interactionRequired),
            (.disabled, .interactionRequired), (.locked, .locked), (.full, .storageFailed),
            (.readOnly, .storageFailed), (.wrongKey, .storageFailed), (.missingKey, .storageFailed),
            (.olderSchema, .storageFailed), (.newerSchema, .storageFailed), (.inUse, .storageFailed),
            (.unreadable, .storageFailed),
            (.permissions, .storageFailed), (.corrupt, .storageFailed), (.conflict, .storageFailed),
            (.nameTaken, .storageFailed), (.stale, .storageFailed), (.failed, .storageFailed),
        ] as [(StoreError.Code, Refusal.Reason)]
    )
    func faults(_ code: StoreError.Code, _ reason: Refusal.Reason) async {
        let refusal = await #expect(throws: Refusal.self) {
            try await notes.storing { throw StoreError(code, "row 7 of /var/lib/notes") }
        }
        #expect(refusal?.reason == reason)
        #expect(refusal?.detail == "row 7 of /var/lib/notes")
        #expect(refusal?.message.contains("/var/lib") == false)
        #expect((refusal?.retryAfterMs != nil) == (code == .busy))
        #expect((refusal?.facts[.limit] == "notes") == (code == .limitExceeded))
    }

    @Test(
        "a sentence about a store names it in the language of the whole",
        arguments: [
            (
                StoreError.Code.busy, "the token cache is busy; try again",
                "der Zwischenspeicher der Token ist beschäftigt; versuchen Sie es noch einmal"
            ),
            (
                .readOnly, "the token cache cannot be written; nothing was changed",
                "der Zwischenspeicher der Token kann nicht geschrieben werden; nichts wurde geändert"
            ),
            (
                .corrupt, "the token cache failed; nothing was changed",
                "der Zwischenspeicher der Token: Fehler; nichts wurde geändert"
            ),
            (
                .locked, "the token cache is locked; unlock it by `tokenbroker unlock`",
                "der Zwischenspeicher der Token ist gesperrt; `tokenbroker unlock` öffnet ihn"
            ),
        ]
    )
    func names(_ code: StoreError.Code, _ english: String, _ german: String) {
        let none = Refusal(.accountNotFound, Text("refusal.noSuchAccount"))
        let text = StoreRefusals(of: Text("refusal.store.cache"), absent: none, crowded: none)
            .refusal(StoreError(code, "row 7")).text
        #expect(text.english == english && text.words(in: .german) == german)
    }

    @Test("a bound that says when it has room is said so to the caller") func room() async {
        let refusal = await #expect(throws: Refusal.self) {
            try await notes.storing { throw StoreError(.limitExceeded, "64 rows", retryAfterMs: 4_500) }
        }
        #expect(refusal?.retryAfterMs == 4_500 && refusal?.facts[.limit] == "notes")
    }

    @Test("what is no fault of the store goes through as it is") func others() async throws {
        #expect(try await notes.storing { 7 } == 7)
        let refusal = await #expect(throws: Refusal.self) {
            try await notes.storing { throw Refusal(.blocked, Text(exactly: "wait")) }
        }
        #expect(refusal == Refusal(.blocked, Text(exactly: "wait")))
    }
}
