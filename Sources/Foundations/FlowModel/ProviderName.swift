/// The names of identity providers, which are case-insensitive.
public enum ProviderName {
    /// Returns the canonical spelling of a name.
    ///
    /// `WindowsAzureActiveDirectory`, the former name of `aad` in Mobile Client Access, is also accepted.
    public static func usual(_ name: String) -> String {
        let name = name.lowercased()
        return name == "windowsazureactivedirectory" ? "aad" : name
    }
}
