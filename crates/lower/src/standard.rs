//! The functions that every C program may call without defining them: ISO C, POSIX, what glibc adds, and the
//! names behind its macros.
//!
//! One of them that has no model here does not return just anything: its result is determined by its
//! arguments and the world, only not known. A proof may take it for arbitrary, a counterexample may not. It may
//! write to what its arguments reach, whatever is assumed of other functions without a definition.
//!
//! This is the only list of such names. Families of names are told by their form (see [`plain`]), so that
//! `sinf`, `__sinl_finite`, `__strcpy_chk`, `__isoc99_sscanf`, `fopen64` and `fputs_unlocked` need not be listed.

use std::sync::OnceLock;

use rustc_hash::FxHashMap;

/// What is known of a standard function that has no model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Standard {
    /// It computes a value and changes nothing but `errno`.
    Value,
    /// It may change what its arguments reach, and `errno`.
    Memory,
    /// It calls functions that are given to it.
    Calls,
    /// It runs something beside the program, or jumps: there is no representation.
    Unsupported,
    /// It ends the run, without a way for the program to notice.
    Ends,
}

/// Functions that compute a value from their arguments, from what these point to or from the world, and write
/// nowhere. None of them returns a pointer into its arguments.
const VALUES: &str = "
    abs labs llabs imaxabs div ldiv lldiv imaxdiv atoi atol atoll atof rand random lrand48 mrand48 drand48 srand
    srandom srand48 arc4random arc4random_uniform isalnum isalpha isascii isblank iscntrl isdigit isgraph
    islower isprint ispunct isspace isupper isxdigit toascii tolower toupper _tolower _toupper iswalnum iswalpha
    iswblank iswcntrl iswctype iswdigit iswgraph iswlower iswprint iswpunct iswspace iswupper iswxdigit
    towctrans towlower towupper wctrans wctype btowc wctob wcwidth wcswidth strlen strnlen strcmp strncmp
    strcasecmp strncasecmp strcasecoll strcoll strspn strcspn strverscmp memcmp bcmp timingsafe_bcmp wcslen
    wcsnlen wcscmp wcsncmp wcscasecmp wcsncasecmp wcscoll wcsspn wcscspn wmemcmp ffs ffsl ffsll htonl htons
    ntohl ntohs bswap_16 bswap_32 bswap_64 fegetround fetestexcept feclearexcept feraiseexcept fesetexcept
    feenableexcept fedisableexcept fegetexcept clock difftime getpid getppid getuid geteuid getgid getegid
    getpgrp getpgid setpgid getsid setsid setpgrp tcgetpgrp tcsetpgrp tcgetsid setuid seteuid setgid setegid
    setreuid setregid setresuid setresgid gettid pthread_self pthread_equal thrd_current thrd_equal getpagesize
    getdtablesize gethostid sethostid sysconf pathconf fpathconf sleep usleep alarm ualarm pause nice sync fsync
    fdatasync syncfs getpriority setpriority sched_yield thrd_yield pthread_yield sched_get_priority_max
    sched_get_priority_min sched_getscheduler sched_getcpu umask close closefrom close_range dup dup2 dup3
    isatty ttyslot lseek ftruncate truncate access faccessat eaccess euidaccess chdir fchdir chroot rmdir unlink
    unlinkat link linkat symlink symlinkat rename renameat renameat2 remove mkdir mkdirat mkfifo mkfifoat mknod
    mknodat chmod fchmod fchmodat lchmod chown fchown fchownat lchown creat open openat open_2 openat_2
    posix_fallocate fallocate posix_fadvise readahead flock lockf mlock munlock mlockall munlockall madvise
    posix_madvise mprotect msync munmap shmget shmdt semget msgget shm_unlink sem_unlink mq_unlink mq_close
    mq_open epoll_create epoll_create1 inotify_init inotify_init1 inotify_add_watch inotify_rm_watch eventfd
    timerfd_create memfd_create socket listen shutdown sockatmark if_nametoindex unsetenv clearenv tzset
    personality reboot swapon swapoff acct sigpause siginterrupt sigrelse sighold sigignore tcdrain tcflow
    tcflush tcsendbreak grantpt unlockpt posix_openpt getpt pthread_testcancel closelog setlogmask openlog
    perror psignal innetgr setfsuid setfsgid initgroups endpwent setpwent endgrent setgrent endhostent
    sethostent endservent setservent endprotoent setprotoent endnetent setnetent endutxent setutent endutent
    setfsent endfsent vhangup daemon ulimit hdestroy hcreate a64l fgetc getc getchar getc_unlocked
    getchar_unlocked _IO_getc fgetwc getwc getwchar ungetc ungetwc fputc putc putchar _IO_putc fputwc putwc
    putwchar putw getw fputs puts fputws fclose fcloseall fflush feof ferror clearerr _IO_feof _IO_ferror fileno
    fseek fseeko ftell ftello rewind fwide ftrylockfile flockfile funlockfile fpurge __fpurge __freading
    __fwriting __freadable __fwritable __flbf __fbufsize __fpending _flushlbf __fsetlocking pclose uflow
    overflow __uflow __overflow __underflow closedir dirfd rewinddir seekdir telldir malloc_usable_size
    malloc_trim mtrace muntrace getauxval __sysconf issetugid sigismember sigisemptyset __ctype_get_mb_cur_max
    gnu_dev_major gnu_dev_minor gnu_dev_makedev membarrier dlclose write pwrite writev pwritev send fwrite
";

/// The same for functions of `<math.h>` and `<complex.h>`, which there are for each floating-point type.
const MATH: &str = "
    fpclassify isfinite finite isinf isnan isnormal signbit issignaling iszero issubnormal iseqsig iscanonical
    isgreater isgreaterequal isless islessequal islessgreater isunordered acos asin atan atan2 cos sin tan acosh
    asinh atanh cosh sinh tanh exp exp2 exp10 pow10 expm1 ldexp log log10 log1p log2 logb logp1 log2p1 log10p1
    exp2m1 exp10m1 scalb scalbn scalbln ilogb llogb pow pown powr rootn compoundn rsqrt sqrt cbrt hypot fabs erf
    erfc lgamma gamma tgamma j0 j1 jn y0 y1 yn ceil floor nearbyint rint lrint llrint round lround llround trunc
    roundeven fromfp fromfpx ufromfp ufromfpx fmod remainder drem copysign nan nextafter nexttoward nextup
    nextdown fdim fmax fmin fmaxmag fminmag fmaximum fminimum fmaximum_num fminimum_num fmaximum_mag
    fminimum_mag fmaximum_mag_num fminimum_mag_num fma significand getpayload totalorder totalordermag acospi
    asinpi atanpi atan2pi cospi sinpi tanpi fadd fsub fmul fdiv ffma fsqrt dadd dsub dmul ddiv dfma dsqrt cabs
    carg cimag conj cproj creal cacos cacosh casin casinh catan catanh ccos ccosh cexp clog clog10 cpow csin
    csinh csqrt ctan ctanh
";

/// Functions of `<math.h>` that write through a pointer.
const MATH_MEMORY: &str = "frexp modf remquo sincos lgamma_r gamma_r canonicalize setpayload setpayloadsig";

/// Functions that may write to what their arguments reach, or that return pointers.
const MEMORY: &str = "
    malloc calloc realloc reallocarray aligned_alloc memalign posix_memalign valloc pvalloc free cfree
    free_sized free_aligned_sized brk sbrk mallopt mallinfo mallinfo2 malloc_info malloc_stats getenv
    secure_getenv putenv setenv mblen mbtowc wctomb mbstowcs wcstombs strtod strtof strtold strtol strtoll
    strtoul strtoull strtoq strtouq strtoimax strtoumax strfromd strfromf strfroml strfromf128 ecvt fcvt gcvt
    ecvt_r fcvt_r qecvt qfcvt qgcvt qecvt_r qfcvt_r erand48 nrand48 jrand48 seed48 lcong48 drand48_r erand48_r
    lrand48_r nrand48_r mrand48_r jrand48_r srand48_r seed48_r lcong48_r random_r srandom_r initstate setstate
    initstate_r setstate_r arc4random_buf rand_r l64a mktemp mkstemp mkstemps mkostemp mkostemps mkdtemp
    realpath canonicalize_file_name getsubopt rpmatch system popen getloadavg ptsname ptsname_r memcpy memmove
    mempcpy memccpy memset memset_explicit explicit_bzero memchr memrchr rawmemchr memmem memfrob strcpy strncpy
    stpcpy stpncpy strcat strncat strlcpy strlcat strchr strrchr strchrnul index rindex strpbrk strstr
    strcasestr strtok strtok_r strsep strdup strndup strxfrm strerror strerror_r __xpg_strerror_r
    strerrorname_np strerrordesc_np strsignal sigabbrev_np sigdescr_np strfry bcopy bzero swab basename dirname
    __xpg_basename wcscpy wcsncpy wcpcpy wcpncpy wcscat wcsncat wcslcpy wcslcat wcschr wcsrchr wcschrnul wcspbrk
    wcsstr wcswcs wcstok wcsdup wcsxfrm wmemchr wmemcpy wmemmove wmempcpy wmemset wcstod wcstof wcstold wcstol
    wcstoll wcstoul wcstoull wcstoimax wcstoumax wcsftime mbrlen mbrtowc wcrtomb mbsinit mbsrtowcs mbsnrtowcs
    wcsrtombs wcsnrtombs mbrtoc8 c8rtomb mbrtoc16 c16rtomb mbrtoc32 c32rtomb fegetenv feholdexcept
    fegetexceptflag fesetexceptflag fetestexceptflag fegetmode fopen freopen fdopen tmpfile tmpnam tmpnam_r
    tempnam setbuf setbuffer setlinebuf setvbuf fread fgets gets fgetws getline getdelim fgetpos fsetpos printf
    fprintf sprintf snprintf asprintf dprintf vprintf vfprintf vsprintf vsnprintf vasprintf vdprintf scanf
    fscanf sscanf vscanf vfscanf vsscanf wprintf fwprintf swprintf vwprintf vfwprintf vswprintf wscanf fwscanf
    swscanf vwscanf vfwscanf vswscanf obstack_printf obstack_vprintf _IO_printf time mktime timegm timelocal
    timespec_get timespec_getres gmtime localtime gmtime_r localtime_r asctime asctime_r ctime ctime_r strftime
    strptime getdate getdate_r clock_gettime clock_settime clock_getres clock_getcpuclockid clock_nanosleep
    nanosleep gettimeofday settimeofday adjtime adjtimex ntp_gettime ntp_adjtime ftime stime times utime utimes
    utimensat futimens futimes lutimes futimesat getitimer setitimer timer_gettime timer_settime timer_delete
    timer_getoverrun timerfd_gettime timerfd_settime dysize setlocale localeconv newlocale duplocale freelocale
    uselocale nl_langinfo catopen catgets catclose gettext dgettext dcgettext ngettext dngettext dcngettext
    textdomain bindtextdomain bind_textdomain_codeset iconv iconv_open iconv_close strfmon getopt getopt_long
    getopt_long_only read pread readv preadv getrandom getentropy fcntl ioctl select pselect poll ppoll pipe
    pipe2 mmap mmap64 mremap remap_file_pages mincore shm_open shmat shmctl semop semtimedop semctl msgsnd
    msgrcv msgctl sem_open sem_close sem_init sem_destroy sem_wait sem_trywait sem_timedwait sem_clockwait
    sem_post sem_getvalue mq_send mq_receive mq_timedsend mq_timedreceive mq_getattr mq_setattr epoll_ctl
    epoll_wait epoll_pwait sendfile splice tee vmsplice copy_file_range eventfd_read eventfd_write signalfd stat
    fstat lstat fstatat statx __xstat __fxstat __lxstat __fxstatat __xmknod __xmknodat statfs fstatfs statvfs
    fstatvfs readlink readlinkat getcwd getwd get_current_dir_name opendir fdopendir readdir readdir_r
    getdirentries getdents getxattr setxattr listxattr lgetxattr fgetxattr name_to_handle_at wait waitpid waitid
    wait3 wait4 execl execle execlp execv execve execvp execvpe fexecve posix_spawn posix_spawnp getrusage
    getrlimit setrlimit prlimit uname gethostname sethostname getdomainname setdomainname getlogin getlogin_r
    cuserid ctermid ttyname ttyname_r tcgetattr tcsetattr cfgetispeed cfgetospeed cfsetispeed cfsetospeed
    cfsetspeed cfmakeraw openpty login_tty getgroups setgroups getgrouplist getresuid getresgid getpwnam
    getpwuid getpwnam_r getpwuid_r getpwent getpwent_r fgetpwent putpwent getgrnam getgrgid getgrnam_r
    getgrgid_r getgrent getgrent_r fgetgrent getspnam getspent crypt crypt_r encrypt setkey getpass getusershell
    confstr sched_setscheduler sched_setparam sched_getparam sched_rr_get_interval sched_setaffinity
    sched_getaffinity getcpu syscall ptrace prctl arch_prctl sysinfo sysctl klogctl mount umount umount2
    sigemptyset sigfillset sigaddset sigdelset sigandset sigorset sigprocmask sigpending sigsuspend sigwait
    sigwaitinfo sigtimedwait sigaltstack sigstack sigblock sigsetmask siggetmask sigmask sigreturn psiginfo
    backtrace backtrace_symbols backtrace_symbols_fd bind connect accept accept4 getsockname getpeername
    getsockopt setsockopt socketpair recv recvfrom recvmsg recvmmsg sendto sendmsg sendmmsg getaddrinfo
    freeaddrinfo getnameinfo gai_strerror gethostbyname gethostbyname2 gethostbyaddr gethostbyname_r
    gethostbyaddr_r gethostent getservbyname getservbyport getservent getprotobyname getprotobynumber
    getprotoent getnetbyname getnetbyaddr getnetent herror hstrerror inet_addr inet_aton inet_ntoa inet_ntop
    inet_pton inet_network inet_makeaddr inet_lnaof inet_netof ether_aton ether_ntoa ether_ntohost
    if_indextoname if_nameindex if_freenameindex getifaddrs freeifaddrs res_init res_query res_search
    pthread_attr_init pthread_attr_destroy pthread_attr_setdetachstate pthread_attr_getdetachstate
    pthread_attr_setstacksize pthread_attr_getstacksize pthread_attr_setstack pthread_attr_getstack
    pthread_attr_setguardsize pthread_attr_getguardsize pthread_attr_setschedparam pthread_attr_getschedparam
    pthread_attr_setschedpolicy pthread_attr_getschedpolicy pthread_attr_setinheritsched
    pthread_attr_getinheritsched pthread_attr_setscope pthread_attr_getscope pthread_getattr_np
    pthread_mutex_init pthread_mutex_destroy pthread_mutex_lock pthread_mutex_trylock pthread_mutex_timedlock
    pthread_mutex_unlock pthread_mutex_consistent pthread_mutexattr_init pthread_mutexattr_destroy
    pthread_mutexattr_settype pthread_mutexattr_gettype pthread_mutexattr_setpshared
    pthread_mutexattr_getpshared pthread_mutexattr_setprotocol pthread_mutexattr_setrobust pthread_cond_init
    pthread_cond_destroy pthread_cond_wait pthread_cond_timedwait pthread_cond_signal pthread_cond_broadcast
    pthread_condattr_init pthread_condattr_destroy pthread_condattr_setclock pthread_condattr_setpshared
    pthread_rwlock_init pthread_rwlock_destroy pthread_rwlock_rdlock pthread_rwlock_tryrdlock
    pthread_rwlock_wrlock pthread_rwlock_trywrlock pthread_rwlock_unlock pthread_rwlockattr_init
    pthread_rwlockattr_destroy pthread_spin_init pthread_spin_destroy pthread_spin_lock pthread_spin_trylock
    pthread_spin_unlock pthread_barrier_init pthread_barrier_destroy pthread_barrier_wait
    pthread_barrierattr_init pthread_barrierattr_destroy pthread_key_delete pthread_getspecific
    pthread_setspecific pthread_setcancelstate pthread_setcanceltype pthread_sigmask pthread_getschedparam
    pthread_setschedparam pthread_setname_np pthread_getname_np pthread_setaffinity_np pthread_getaffinity_np
    pthread_getcpuclockid pthread_setconcurrency pthread_getconcurrency mtx_init mtx_lock mtx_timedlock
    mtx_trylock mtx_unlock mtx_destroy cnd_init cnd_signal cnd_broadcast cnd_wait cnd_timedwait cnd_destroy
    tss_delete tss_get tss_set thrd_sleep dlopen dlsym dlvsym dlerror dladdr dladdr1 dlinfo dlmopen hsearch
    hsearch_r hcreate_r hdestroy_r insque remque regcomp regexec regerror regfree re_comp re_exec fnmatch
    wordexp wordfree globfree argz_add argz_create argz_append argz_next envz_add envz_get setutxent getutxent
    getutxid getutxline pututxline getutent getutid getutline pututline updwtmp updwtmpx utmpname getutmp
    getmntent getmntent_r setmntent addmntent endmntent hasmntopt getfsent getfsspec getfsfile warn warnx vwarn
    vwarnx error error_at_line syslog vsyslog getdate_err aio_read aio_write aio_error aio_return aio_suspend
    aio_cancel aio_fsync lio_listio ctime_s gets_s localtime_s gmtime_s asctime_s memcpy_s memmove_s memset_s
    strcpy_s strncpy_s strcat_s strncat_s strtok_s strerror_s sprintf_s snprintf_s printf_s fprintf_s scanf_s
    sscanf_s fscanf_s fopen_s freopen_s getenv_s tmpfile_s tmpnam_s strnlen_s set_constraint_handler_s fattach
    fdetach isastream getmsg getpmsg putmsg putpmsg getcontext __ctype_b_loc __ctype_tolower_loc
    __ctype_toupper_loc __errno_location __errno ___errno __h_errno_location __fdelt_chk __fdelt_warn __read_chk
    __poll_chk __explicit_bzero_chk __sched_cpualloc __sched_cpufree __sched_cpucount __cmsg_nxthdr __rawmemchr
    __stpcpy_small __strtok_r_1c __dcgettext __libc_current_sigrtmin __libc_current_sigrtmax __vfprintf_chk
    __getdelim __getpagesize __nldbl_printf __acrt_iob_func __res_init __fgets_unlocked_chk __asprintf
    __vasprintf_chk __obstack_printf_chk
";

/// Functions that call functions that are given to them.
const CALLS: &str = "
    qsort qsort_r qsort_s bsearch bsearch_s lfind lsearch tsearch tfind tdelete twalk twalk_r tdestroy ftw nftw
    fts_open scandir scandirat glob atexit on_exit at_quick_exit signal bsd_signal sysv_signal sigset sigaction
    sigvec ssignal pthread_atfork pthread_once call_once pthread_key_create tss_create pthread_cleanup_push
    __pthread_register_cancel __pthread_unregister_cancel makecontext timer_create mq_notify getaddrinfo_a
    fopencookie argp_parse rcmd register_printf_function register_printf_specifier dl_iterate_phdr mcheck
    __cxa_atexit __cxa_thread_atexit_impl clone __register_atfork raise gsignal kill killpg sigqueue
    pthread_kill tgkill
";

/// Functions that start threads, jump between activations, start processes, change how floating-point numbers are
/// rounded, or write to memory later on.
const UNSUPPORTED: &str = "
    pthread_create pthread_join pthread_tryjoin_np pthread_timedjoin_np pthread_exit pthread_cancel
    pthread_detach thrd_create thrd_join thrd_exit thrd_detach setjmp _setjmp __setjmp sigsetjmp __sigsetjmp
    longjmp _longjmp __longjmp siglongjmp __longjmp_chk ____longjmp_chk swapcontext setcontext fork vfork
    forkpty clone3 unshare setns fesetround fesetenv feupdateenv fesetmode fmemopen open_memstream
    open_wmemstream
";

/// Functions after which nothing of the program runs any more, as far as a program without threads can tell.
const ENDS: &str = "
    abort exit _exit _Exit quick_exit __assert_fail __assert __assert_perror_fail __assert_rtn __stack_chk_fail
    __chk_fail __fortify_fail err errx verr verrx
";

/// Variables of the C library that programs may use, and that the functions below change.
const OBJECTS: &str = "
    errno environ __environ _environ optarg optind opterr optopt timezone __timezone daylight __daylight tzname
    __tzname program_invocation_name program_invocation_short_name __progname __progname_full signgam h_errno
    getdate_err sys_errlist _sys_errlist sys_nerr _sys_nerr sys_siglist _sys_siglist in6addr_any
    in6addr_loopback error_message_count error_one_per_line error_print_progname loc1 loc2 locs
    re_syntax_options _res obstack_exit_failure stdin stdout stderr
";

/// Which functions, by their plain names, change which of these variables.
const CHANGES: &[(&str, &str)] = &[
    ("getopt getopt_long getopt_long_only", "optarg optind opterr optopt"),
    (
        "tzset mktime timelocal localtime localtime_r ctime ctime_r strftime wcsftime",
        "timezone __timezone daylight __daylight tzname __tzname",
    ),
    ("lgamma gamma", "signgam"),
    ("setenv unsetenv putenv clearenv", "environ __environ _environ"),
    ("getdate", "getdate_err"),
    ("error error_at_line", "error_message_count"),
    ("gethostbyname gethostbyname2 gethostbyaddr gethostent getnetbyname getnetbyaddr", "h_errno"),
];

/// Names that stand before the plain name of a function.
const BEFORE: [&str; 9] =
    ["__builtin_", "__isoc99_", "__isoc23_", "__posix_", "__libc_", "__GI_", "__nldbl_", "_IO_", "__"];

/// Names that stand behind it.
const BEHIND: [&str; 8] = ["_chk", "_finite", "_unlocked", "_internal", "_time64", "_alias", "64", "_l"];

/// Floating-point types at the end of the names of mathematical functions.
const FLOATS: [&str; 8] = ["f", "l", "f16", "f32", "f64", "f128", "f32x", "f64x"];

type Table = FxHashMap<&'static str, Standard>;

fn table() -> &'static Table {
    static TABLE: OnceLock<Table> = OnceLock::new();
    TABLE.get_or_init(|| {
        let mut table = Table::default();
        let lists = [
            (VALUES, Standard::Value),
            (MATH, Standard::Value),
            (MATH_MEMORY, Standard::Memory),
            (MEMORY, Standard::Memory),
            (CALLS, Standard::Calls),
            (UNSUPPORTED, Standard::Unsupported),
            (ENDS, Standard::Ends),
        ];
        for (names, what) in lists {
            table.extend(names.split_ascii_whitespace().map(|name| (name, what)));
        }
        table
    })
}

fn is_among(names: &str, name: &str) -> bool {
    names.split_ascii_whitespace().any(|known| known == name)
}

/// The name in the lists that a name is a form of.
fn plain(name: &str) -> Option<&'static str> {
    if let Some((&known, _)) = table().get_key_value(name) {
        return Some(known);
    }
    let before = BEFORE.iter().filter_map(|part| name.strip_prefix(part)).find_map(plain);
    let behind = || BEHIND.iter().filter_map(|part| name.strip_suffix(part)).find_map(plain);
    let float = || {
        let bare = FLOATS.iter().filter_map(|part| name.strip_suffix(part)).filter_map(plain);
        bare.into_iter().find(|known| is_among(MATH, known) || is_among(MATH_MEMORY, known))
    };
    before.or_else(behind).or_else(float)
}

/// What is known of a standard function; nothing if it is none.
pub(crate) fn of(name: &str) -> Option<Standard> {
    plain(name).and_then(|name| table().get(name).copied())
}

/// The variables of the C library that a standard function changes, `errno` not among them.
pub(crate) fn changed_by(name: &str) -> impl Iterator<Item = &'static str> {
    let plain = plain(name).unwrap_or_default();
    let changes = CHANGES.iter().filter(move |(functions, _)| is_among(functions, plain));
    changes.flat_map(|(_, variables)| variables.split_ascii_whitespace())
}

/// Whether a variable that a program does not define is one of the C library.
pub(crate) fn is_object(name: &str) -> bool {
    is_among(OBJECTS, name)
}

/// Whether a function or variable that a program does not define is one of the C library.
pub fn is_standard(name: &str) -> bool {
    of(name).is_some() || is_object(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_a_name_are_told() {
        for (name, what) in [
            ("sin", Standard::Value),
            ("__sinl_finite", Standard::Value),
            ("__fpclassifyf", Standard::Value),
            ("__isinff", Standard::Value),
            ("__finitel", Standard::Value),
            ("__builtin_ceilf", Standard::Value),
            ("modff", Standard::Memory),
            ("__strcpy_chk", Standard::Memory),
            ("__isoc99_sscanf", Standard::Memory),
            ("__isoc23_strtoll", Standard::Memory),
            ("fgets_unlocked", Standard::Memory),
            ("fopen64", Standard::Memory),
            ("__strtol_internal", Standard::Memory),
            ("strtod_l", Standard::Memory),
            ("__snprintf_chk", Standard::Memory),
            ("bsearch", Standard::Calls),
            ("_setjmp", Standard::Unsupported),
        ] {
            assert_eq!(of(name), Some(what), "{name}");
        }
        for name in ["helper", "reach_error", "__VERIFIER_nondet_int", "", "f", "l", "__", "kmalloc"] {
            assert_eq!(of(name), None, "{name}");
        }
    }

    #[test]
    fn no_name_is_listed_with_two_meanings() {
        let lists = [VALUES, MATH, MATH_MEMORY, MEMORY, CALLS, UNSUPPORTED, ENDS];
        let mut seen = FxHashMap::default();
        for (i, list) in lists.iter().enumerate() {
            for name in list.split_ascii_whitespace() {
                assert!(seen.insert(name, i).is_none(), "{name} is listed twice");
            }
        }
        assert!(seen.len() > 1200, "{}", seen.len());
    }
}
