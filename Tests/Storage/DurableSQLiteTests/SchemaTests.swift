import TestSupport
import Testing

@testable import DurableSQLite

@Suite(.timeLimit(.minutes(1)))
struct SchemaTests {
    @Test("the step that every store begins with was not edited") func appendOnly() {
        #expect(Migration.foundation.fingerprint == "dbcdc5eab785fc91")
    }
}
