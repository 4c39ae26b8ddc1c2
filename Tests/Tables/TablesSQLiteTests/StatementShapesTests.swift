import Testing

@testable import TablesSQLite

@Suite(.timeLimit(.minutes(1)))
struct StatementShapesTests {
    @Test("a limited number of query statements is cached from their second use on") func shapes() {
        let shapes = StatementShapes()
        #expect(!shapes.keeps("a"))
        #expect(shapes.keeps("a") && shapes.keeps("a"))
        for index in 0..<StatementShapes.limit {
            _ = shapes.keeps("s\(index)")
            _ = shapes.keeps("s\(index)")
        }
        #expect(!shapes.keeps("late") && !shapes.keeps("late") && shapes.keeps("a"))
    }
}
