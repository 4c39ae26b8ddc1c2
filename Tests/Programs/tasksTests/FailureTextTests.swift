import FlowModel
import Localization
import Storage
import Terminal
import Testing

@testable import TablesClient
@testable import TasksCommands

/// Tests the messages that `tasks` shows for errors of its libraries and of the API.
@Suite(.timeLimit(.minutes(1)))
struct FailureTextTests {
    private func german(_ error: TablesError) throws -> String {
        CommandFailure(error, try APIAddress("https://api.example")).text.words(in: .german)
    }

    @Test("an API error is translated by its key, and shown unchanged without a translation") func refusals() throws {
        let words = "words of the API"
        for (text, german) in [
            (Text("row.missing", ["name": "text"]), "'text' fehlt"), (Text("row.newer", ["name": "text"]), words),
            (Text("row.missing"), words), (Text(exactly: words), words),
        ] {
            #expect(try self.german(TablesError(.refused, EnglishText(words, text))) == german)
        }
    }

    @Test("an unreachable API is named with its address") func unreachable() throws {
        #expect(
            try german(TablesError(.unreachable, .unreachable))
                == "https://api.example: Die API ist nicht erreichbar."
        )
        #expect(
            try german(TablesError(.timedOut, .tooSlow))
                == "https://api.example: Die API hat nicht rechtzeitig geantwortet. Versuchen Sie es später noch einmal."
        )
    }

    @Test("a store error names its file in the message's language") func store() {
        let failure = CommandFailure(StoreError(.busy, .busy("/store")))
        #expect(failure.status == .tryLater && failure.reason == "storage_failed")
        #expect(failure.message == "Another process has kept /store locked for too long. Try again later.")
        #expect(
            failure.text.words(in: .german)
                == "Ein anderer Prozess sperrt /store schon zu lange. Versuchen Sie es später noch einmal."
        )
    }
}
