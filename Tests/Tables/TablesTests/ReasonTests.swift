import FlowModel
import Localization
import Testing

@testable import Tables

/// Tests of the messages of query and row problems.
///
/// The English messages come from the library, and the German messages come from the catalog.
@Suite(.timeLimit(.minutes(1)))
struct ReasonTests {
    private static let queries: [QueryProblem.Reason] = {
        let (text, number) = (
            EnglishText("a string", Text("query.kind.text")), EnglishText("a number", Text("query.kind.number"))
        )
        return [
            .syntaxError, .unbalancedParentheses, .unterminatedText, .unknownEscape, .unknownCast,
            .unknownIdentifier("<x>"), .notADate("<x>"), .notAGUID("<x>"), .notAColumnName("<x>"), .numberOutOfRange,
            .dateOutOfRange, .tooLong(bytes: 7), .tooDeep(7), .tooManyParts(7), .tooManyTerms(7), .tooManyNames(7),
            .tooMuchText(bytes: 7), .statementTooDeep, .statementTooLong, .parameters(.length), .parameters(.concat),
            .parameters(.substring), .nestedReplace, .tooManyReplaces(7), .replacement(characters: 7), .fewConditions,
            .emptyList, .untranslatable("<x>"), .betweenWithoutTwo, .nestedBetween, .unknownModifier("<x>"),
            .argumentIsList("<x>"), .argumentOfOtherKind("<x>"), .unknownPlaceholder("<x>"), .argumentIsNoList,
            .argumentIsNoName, .argumentMissing, .argumentCount(2, placeholders: 3),
            .unknownColumn("<x>", nearest: nil), .unknownColumn("<x>", nearest: "<y>"), .notACondition(text),
            .notComparable(text, number), .notCalculable(text), .parameterType(.length, wanted: text, given: number),
            .repeated, .notUTF8, .unnamedParameter, .reservedParameter("<x>"), .tooManyParameters(7), .tooManyRows(7),
            .tooManyRowsInFirstVersion(7), .tooManySkipped(7), .notANumberOfRows("<x>"), .neither("<x>", "<y>"),
            .unknownSystemProperty("<x>"),
        ]
    }()

    private static let rows: [TableProblem.Reason] = [
        .idNotAllowed, .invalidID, .idNotPositive, .idNotText, .idNotNumber, .repeatedColumn("<x>"),
        .reservedColumn("<x>"), .readOnlyColumn("<x>"), .unknownColumn("<x>", table: "<y>", nearest: nil),
        .unknownColumn("<x>", table: "<y>", nearest: "<z>"), .missing("<x>"), .tooShort("<x>", characters: 7),
        .tooLong("<x>", characters: 7), .otherForm("<x>", pattern: "<y>"), .tooSmall("<x>", least: "7"),
        .tooLarge("<x>", most: "7"), .notAllowed("<x>", values: "<y>"), .wrongType("<x>", .string), .notADate("<x>"),
        .listOrObject("<x>"), .tooManyDigits("<x>"), .unusableTableName("<x>"), .unusableColumnName("<x>"),
        .tooManyColumns(table: "<x>", most: 7), .noMoreColumns(table: "<x>", most: 7),
    ]

    private func expectBothLanguages(_ said: EnglishText) {
        let german = said.text.words(in: .german)
        #expect(said.text.english == said.english)
        #expect(said.text.isInCatalog && german != said.english)
        let values = said.english.matches(of: /<.>/).map { String($0.output) }
        #expect(values.allSatisfy { german.contains($0) }, "\(german)")
    }

    @Test("every query problem has an English and a German message", arguments: queries)
    func query(_ reason: QueryProblem.Reason) {
        expectBothLanguages(reason.said)
        for problem in [
            QueryProblem(reason, at: 4), QueryProblem(reason, option: "$filter"),
            QueryProblem(reason, at: 4, option: "$filter"),
        ] {
            expectBothLanguages(problem.said)
            #expect(Text(members: problem.said.text.members) == problem.said.text)
        }
    }

    @Test("every row problem has an English and a German message", arguments: rows)
    func row(_ reason: TableProblem.Reason) {
        expectBothLanguages(reason.said)
        #expect(Text(members: reason.said.text.members) == reason.said.text)
    }

    @Test("the option and the position surround the message") func place() throws {
        let problem = try #require(throws: QueryProblem.self) { try Filter(parsing: "a eq 1 and") }
        #expect(problem.description == "$filter: Syntax error (at position 10)")
        #expect(problem.said.text.words(in: .german) == "$filter: Syntaxfehler (an Stelle 10)")
    }

    @Test("an operator's message is used unchanged, and has no key") func stated() {
        var column = TableColumn("level", .number)
        column.max = 9
        column.message = "Nine at most, please."
        let problem = #expect(throws: TableProblem.self) { try column.checked(.number(10)) }
        #expect(problem?.said.text.words(in: .german) == "Nine at most, please.")
        #expect(problem?.said.text.members.isEmpty == true)
        #expect(problem?.message == "Nine at most, please." && problem?.column == "level")
    }
}
