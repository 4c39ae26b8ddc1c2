/// The version of the programs.
public enum Version {
    /// The version that `--version` prints.
    public static let text = "0.1.0"
}
