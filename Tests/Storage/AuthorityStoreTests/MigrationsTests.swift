import DurableSQLite
import Testing

@testable import AuthorityStore

@Suite(.timeLimit(.minutes(1)))
struct MigrationsTests {
    @Test("each step of the schema stands once in the list") func once() {
        let names = Migrations.all.map(\.name)
        #expect(Set(names).count == names.count)
    }
}
