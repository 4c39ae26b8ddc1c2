/// The input that the first command-line argument names.
enum Chosen {
    static let input = FuzzedInput.all.first { $0.name == CommandLine.arguments.dropFirst().first }
}
