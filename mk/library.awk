# library.awk: the tables of codegen/library.h, from the names and paths of the embedded files, a line
# each; the array file_N has the text of the N-th. The first line of a function's file says which files
# it needs, the second what it provides, as math/INDEX does: "function type file size" for every overload.
function is_function(name) { return name ~ /^math\/.*\.glsl$/ }
function base(name) { sub(/^math\//, "", name); sub(/\.glsl$/, "", name); return name }

# What the code of a function asks of a device. Comments may name types that it does not have.
function read_function(path, n,    line, lines, in_comment)
{
    while ((getline line < path) > 0) {
        if (++lines <= 2) {
            head[n] += length(line) + 1
            if (lines == 1 && sub(/^\/\/! needs: */, "", line))
                needs[n] = line
            continue
        }
        if (in_comment && !sub(/^.*\*\//, "", line))
            continue
        gsub(/\/\*[^*]*\*\//, "", line)
        sub(/\/\/.*/, "", line)
        in_comment = sub(/\/\*.*/, "", line)
        if (line ~ /double|dvec/) features[n, "F64"] = 1
        if (line ~ /int64_t|i64vec|u64vec|Int64|Uint64/) features[n, "I64"] = 1
        if (line ~ /NX_FMA/) features[n, "FMA"] = 1
        if (line ~ /float16_t|f16vec/) features[n, "F16"] = 1
    }
    close(path)
}

BEGIN { count = 0 }
{
    if ($1 == "math/INDEX")
        index_path = $2
    if (is_function($1)) {
        embedded[count] = NR - 1
        place[base($1)] = count
        read_function($2, count++)
    }
}

function place_of(file)
{
    if (!(file in place)) {
        print "shaders/math has no " file ".glsl" > "/dev/stderr"
        exit 1
    }
    return place[file]
}

function print_file(n,    i, words, word, set)
{
    printf "static const uint16_t needs_%d[] = {", n
    words = split(needs[n], word, " ")
    for (i = 1; i <= words; i++)
        printf "%d, ", place_of(word[i])
    print "LIBRARY_END};"
    set = ((n, "F64") in features ? "VKB_FEATURE_F64 | " : "")
    set = set ((n, "I64") in features ? "VKB_FEATURE_I64 | " : "")
    set = set ((n, "F16") in features ? "VKB_HALF_FEATURES | " : "")
    set = set ((n, "FMA") in features ? "VKB_FEATURE_FMA | " : "") "0"
    files = files sprintf("{file_%d + %d, needs_%d, %s},\n", embedded[n], head[n], n, set)
}

END {
    for (n = 0; n < count; n++)
        print_file(n)
    printf "const struct library_file vkc_library_files[] = {\n%s};\n", files
    print "const struct library_function vkc_library[] = {"
    while ((getline line < index_path) > 0) {
        split(line, word, " ")
        printf "{\"%s\", \"%s\", %d, %d},\n", word[1], word[2], place_of(base(word[3])), word[4]
        overloads++
    }
    print "};\nconst size_t vkc_nlibrary = " overloads ";"
}
