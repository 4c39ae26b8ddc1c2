import Foundation
import TablesClient
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(2)))
struct ErrorPageTests {
    @Test("the page of errors names every code and every error number of the SDKs") func page() throws {
        let page = try ProjectFolder.text("docs/tables-errors.md")
        for code in TablesError.Code.allCases { #expect(page.contains("`\(code.rawValue)`"), "\(code.rawValue)") }
        let numbers =
            Array(1101...1108) + [1150] + Array(1153...1157) + [1160] + Array(1170...1174) + [1180, 1190]
            + Array(1201...1204) + Array(1301...1303) + [1400, 1401] + Array(1501...1507) + Array(1511...1514)
            + [1600, 1601]
        for number in numbers { #expect(page.contains("| -\(number) |"), "-\(number)") }
    }
}
