import Foundation
import Testing

@Suite(.timeLimit(.minutes(5)))
struct CorpusTests {
    private static let corpus = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Corpus")

    @Test("the invariants of an input hold for every file of its corpus", arguments: FuzzedInput.all)
    func corpus(_ input: FuzzedInput) throws {
        let folder = Self.corpus.appending(path: input.name)
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        #expect(files.count >= 3, "\(input.name) has a corpus")
        for file in files {
            let bytes = try [UInt8](Data(contentsOf: file))
            do {
                try input.check(bytes)
            } catch {
                Issue.record("\(file.lastPathComponent): \(error)")
            }
            // Cut off and changed, as a fuzzer begins.
            for index in 0..<min(bytes.count, 256) {
                #expect(throws: Never.self, "\(file.lastPathComponent) cut at \(index)") {
                    try input.check(Array(bytes[..<index]))
                }
                var changed = bytes
                changed[index] ^= 1
                #expect(throws: Never.self, "\(file.lastPathComponent) changed at \(index)") {
                    try input.check(changed)
                }
            }
        }
    }

    @Test("there are twelve inputs, each with a name of its own") func names() {
        #expect(Set(FuzzedInput.all.map(\.name)).count == 12)
    }
}
