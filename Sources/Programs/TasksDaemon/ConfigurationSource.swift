import ProgramConfiguration
import StrictYAML

/// The source of the configuration, read at the start and again at SIGHUP.
struct ConfigurationSource: Sendable {
    /// The file that was named; nil for the usual place, or the embedded defaults where none is there.
    let path: String?
    let paths: ProgramPaths

    /// The configuration, unless a problem is an error, and all problems.
    func read() -> (TasksdConfiguration?, [Problem]) {
        TasksdConfiguration.load(configuration: path, paths: paths)
    }
}
